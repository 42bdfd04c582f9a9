# jain.gp - Jain's fairness index of the grants of each window of virtual time: 1, all clients got in equally often. Faults are shaded.
# By hand: gnuplot -e "data='DIR DIR'; out='jain.svg'" reports/jain.gp
window_table = "jain"
load ARG0[1:strlen(ARG0) - strlen("jain.gp")]."style.gp"

title_text = "How equally the grants were shared out"
first_only = 1; above = strip
eval window_note
if (Crashes + Pauses == 0) { head = 92 }
panel = runs == 1 ? 260 : 110
height = panels_height(runs)
eval open
eval heading
eval key_above
set multiplot
set yrange [0:1.05]
set ytics 0.25
set format y "%.2g"
do for [k = 1:runs] {
  eval place
  eval time_axis
  eval no_fault_bars
  eval fault_bars
  if (runs == 1) { set ylabel "Jain's index of a window's grants" textcolor rgb ink } else { set ylabel "Jain's index" textcolor rgb ink }
  i = k; metric_of = "jain_grants"
  eval summary_value
  if (value ne "-") { set label 1005 sprintf("whole run: %.3f", value + 0) at graph 1, screen panel_top(k) + (above + 9.0) / height right font small_font textcolor rgb faint }
  eval "plot ".faults.", file(k, 'jain') using ((column('from_ms') + column('to_ms')) / 2000.0):(column('jain')) with linespoints linetype 1 pointtype 7 pointsize 0.35 notitle"
}
unset multiplot
