# wait_time.gp - waits over virtual time: a sample of single ones as dots, the median and p99 of each window as lines; faults are shaded.
# By hand: gnuplot -e "data='DIR DIR'; out='wait_time.svg'" reports/wait_time.gp
load ARG0[1:strlen(ARG0) - strlen("wait_time.gp")]."style.gp"

table_of = "wait_samples"; column_of = "wait_ms"
eval extent
top = most
table_of = "wait_time"; column_of = "p99_ms"
eval extent
top = most > top ? most : top
column_of = "p50_ms"
eval extent
low = floor10(least * 0.5); high = top * 1.3
if (high < 10 * low) { high = 10 * low }
table_of = "wait_samples"; column_of = "wait_ms"
eval extent
first_only = 1; above = strip
eval window_note
title_text = "Waits over time"
panel = runs == 1 ? 280 : 150
height = panels_height(runs)
eval open
eval heading
eval key_above
set multiplot
set logscale y
eval "set ytics ".lengths
eval break_y
do for [k = 1:runs] {
  eval place
  eval time_axis
  eval no_fault_bars
  eval fault_bars
  set ylabel "wait" textcolor rgb ink
  eval "plot ".faults.", file(k, 'wait_samples') using (column('granted_ms') / 1000.0):(at(column('wait_ms'))) with points pointtype 7 pointsize 0.33 linecolor rgb '#9fc3dc' title 'one wait', \
    file(k, 'wait_time') using ((column('from_ms') + column('to_ms')) / 2000.0):(at(column('p50_ms'))) with lines linetype 1 title 'median', \
    file(k, 'wait_time') using ((column('from_ms') + column('to_ms')) / 2000.0):(at(column('p99_ms'))) with lines linetype 2 title 'p99'"
}
unset multiplot
