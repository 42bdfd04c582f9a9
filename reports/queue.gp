# queue.gp - how many waited for the lock over virtual time: the mean and the greatest number of each window. Faults are shaded.
# By hand: gnuplot -e "data='DIR DIR'; out='queue.svg'" reports/queue.gp
load ARG0[1:strlen(ARG0) - strlen("queue.gp")]."style.gp"

table_of = "queue"; column_of = "max"
eval extent
if (most < 4) { most = 4 }
first_only = 1; above = strip
eval window_note
title_text = "How many waited"
panel = runs == 1 ? 260 : 110
height = panels_height(runs)
eval open
eval heading
eval key_above
set multiplot
set yrange [0:most * 1.08]
set ytics autofreq
set format y "%.10g"
do for [k = 1:runs] {
  eval place
  unset label 1003
  eval time_axis
  eval no_fault_bars
  eval fault_bars
  set ylabel "tasks waiting" textcolor rgb ink
  eval "plot ".faults.", file(k, 'queue') using ((column('from_ms') + column('to_ms')) / 2000.0):(column('max')) with lines linetype 2 linewidth 1.2 title 'most', \
    file(k, 'queue') using ((column('from_ms') + column('to_ms')) / 2000.0):(column('mean')) with lines linetype 1 title 'mean'"
}
unset multiplot
