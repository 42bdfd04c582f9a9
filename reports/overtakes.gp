# overtakes.gp - by how many of those who asked later an acquisition was overtaken, on a log scale: a fair queue has one column, at 0.
# By hand: gnuplot -e "data='DIR DIR'; out='overtakes.svg'" reports/overtakes.gp
load ARG0[1:strlen(ARG0) - strlen("overtakes.gp")]."style.gp"

most = 0; rare = 0.1
set table $none
plot for [i = 1:runs] file(i, "overtakes") using (x = column("overtakes"), most = (x > most ? x : most), s = column("share"), rare = (s > 0 && s < rare ? s : rare), 0):(0) with table
unset table
if (most < 8) { most = 8 }
title_text = "How many who asked later went first"
head = 92
panel = runs == 1 ? 260 : 110
height = panels_height(runs)
eval open
eval heading
set multiplot
set logscale y
set yrange [rare / 2:1.6]
eval "set ytics ".shares
set xrange [-0.02 * most - 0.6:most * 1.02 + 0.6]
set format x "%.10g"
set grid noxtics
set boxwidth 0.8
do for [k = 1:runs] {
  eval place
  if (k == runs) { set xlabel "clients that asked later and went first" textcolor rgb ink }
  set ylabel "acquisitions" textcolor rgb ink
  i = k; metric_of = "overtaken_mean"
  eval summary_value
  if (value ne "-") { set label 1005 sprintf("mean: %.3g", value + 0) at graph 1, screen panel_top(k) + 9.0 / height right font small_font textcolor rgb faint }
  if (most <= 120) {
    plot file(k, "overtakes") using (column("overtakes")):(column("share")) with boxes fillcolor rgb hold_colour notitle
  } else {
    plot file(k, "overtakes") using (column("overtakes")):(column("share")) with impulses linecolor rgb hold_colour linewidth 1.5 notitle
  }
}
unset multiplot
