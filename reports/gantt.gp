# gantt.gp - who held the lock and who waited for it, for the first few hundred intervals after the warm-up.
# By hand: gnuplot -e "data='DIR DIR'; out='gantt.svg'" reports/gantt.gp
load ARG0[1:strlen(ARG0) - strlen("gantt.gp")]."style.gp"

# A run is shown until its last interval begins, or until there is a row for no more tasks: after that some are missing.
rows_max = 40
array Rows[runs]; array From[runs]; array To[runs]
rows_most = 1; to_least = 1e99; to_most = 0
do for [i = 1:runs] {
  rows = 0; from = 1e99; to = 0; full = 1e99
  set table $none
  plot file(i, "gantt") using (r = column("row") + 1, rows = (r > rows ? r : rows), x = column("from_ms") / 1000.0, from = (x < from ? x : from), \
      to = (x > to ? x : to), full = (r == rows_max && x < full ? x : full), 0):(0) with table
  unset table
  if (full < to) { to = full }
  if (rows == 0) { rows = 1; from = Begins[i]; to = Ends[i] }
  if (to <= from) { to = from + 1 }
  Rows[i] = rows; From[i] = from; To[i] = to
  rows_most = rows > rows_most ? rows : rows_most
  to_least = to - from < to_least ? to - from : to_least; to_most = to - from > to_most ? to - from : to_most
}
title_text = "Who held the lock, and who waited"
panel = 40 + rows_most * (runs == 1 ? 11 : 8)
height = panels_height(runs)
eval open
eval heading
eval key_above
set multiplot
set yrange [rows_most - 0.4:-0.6]
set ytics font "DejaVu Sans,7"
unset ytics
set grid noytics
# Runs are shown for the same length of time where that leaves something of each.
span(k) = to_most < 5 * to_least ? to_least : To[k] - From[k]
bar_of(what) = "file(k, 'gantt') using (f = column('from_ms') / 1000.0, strcol('what') eq '".what."' ? f : NaN):(r = column('row'), r):(f):(strcol('to_ms') eq '-' ? To[k] : column('to_ms') / 1000.0)"
do for [k = 1:runs] {
  eval place
  set format x "%.10g"
  set xrange [From[k]:From[k] + span(k)]
  if (k == runs) { set xlabel "virtual time (s)" textcolor rgb ink } else { unset xlabel }
  set ylabel "clients" textcolor rgb ink
  eval "plot ".faults.", ".bar_of("wait").":(r - 0.22):(r + 0.22) with boxxyerror fillcolor rgb wait_colour title 'waits', ". \
    bar_of("hold").":(r - 0.42):(r + 0.42) with boxxyerror fillcolor rgb hold_colour title 'holds'"
}
unset multiplot
