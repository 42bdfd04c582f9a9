# gantt.gp - who held the lock and who waited for it, for the first few hundred intervals after the warm-up.
# By hand: gnuplot -e "data='DIR DIR'; out='gantt.svg'" reports/gantt.gp
load ARG0[1:strlen(ARG0) - strlen("gantt.gp")]."style.gp"

# A run is shown until its last interval begins, or until there is a row for no more tasks: after that some are missing.
rows_max = 40
array Rows[runs]; array Starts[runs]; array Stops[runs]
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
  Rows[i] = rows; Starts[i] = from; Stops[i] = to
  rows_most = rows > rows_most ? rows : rows_most
  to_least = to - from < to_least ? to - from : to_least; to_most = to - from > to_most ? to - from : to_most
}
# Each row has its client's name.
names_max = 14
array Row_name[runs * rows_max]
do for [i = 1:runs] {
  do for [r = 1:rows_max] { Row_name[(i - 1) * rows_max + r] = "" }
  set table $none
  plot file(i, "gantt") using (r = column("row") + 1, Row_name[(i - 1) * rows_max + r] = strcol("client"), 0):(0) with table
  unset table
}
# Runs are shown for the same length of time where that leaves something of each.
span(k) = to_most < 5 * to_least ? to_least : Stops[k] - Starts[k]
short_name(s) = strlen(s) > names_max ? s[1:names_max - 1]."…" : s
first_only = 1
n_what = "tasks"
n_of(i) = Rows[i]
span_of(i) = secs(Starts[i])." to ".secs(Starts[i] + span(i))
title_text = "Who held the lock, and who waited"
panel = rows_most * (runs == 1 ? 13 : 10) + 12
height = panels_height(runs)
eval open
eval heading
eval key_above
set multiplot
set yrange [rows_most - 0.4:-0.6]
set grid noytics
bar_of(what) = "file(k, 'gantt') using (f = column('from_ms') / 1000.0, strcol('what') eq '".what."' ? f : NaN):(r = column('row'), r):(f):(strcol('to_ms') eq '-' ? Stops[k] : column('to_ms') / 1000.0)"
# A fault is a bar in each row of its client, with its name where there is room: the whole row is down, and the row's edge paused.
fault_rows = 'if (k > 1) { do for [n = 1:marked] { unset object 4000 + n; unset label 4000 + n } }; \
  base = (k - 1) * faults_max; marked = 0; \
  do for [n = 1:FaultCount[k]] { \
    f = From[base + n] < x_least ? x_least : From[base + n]; t = To[base + n] > x_most ? x_most : To[base + n]; \
    down = What[base + n] eq "crash"; \
    do for [r = 1:(t > f ? Rows[k] : 0)] { \
      if (Row_name[(k - 1) * rows_max + r] eq Who[base + n]) { \
        marked = marked + 1; \
        set object 4000 + marked rectangle from first f, first r - 1 + (down ? 0.42 : 0.46) to first t, first r - 1 - (down ? 0.42 : -0.2) front \
          fillcolor rgb down ? crash_colour : pause_colour fillstyle solid 1.0 noborder; \
        if (down && (t - f) / (x_most - x_least) * (width - panel_left - panel_right) > 26) { \
          set label 4000 + marked "down" at first (f + t) / 2, first r - 1 center font tiny_font textcolor rgb "#ffffff" front } } } }'
marked = 0
do for [k = 1:runs] {
  eval place
  set format x "%.10g"
  x_least = Starts[k]; x_most = Starts[k] + span(k)
  set xrange [x_least:x_most]
  unset ytics
  set ytics scale 0 font tiny_font textcolor rgb ink
  set ytics ("" -9)
  do for [r = 1:Rows[k]] { set ytics add (short_name(Row_name[(k - 1) * rows_max + r]) r - 1) }
  eval fault_rows
  if (k == runs) { set xlabel "virtual time (s)" textcolor rgb ink } else { unset xlabel }
  eval "plot ".bar_of("wait").":(r - 0.22):(r + 0.22) with boxxyerror fillcolor rgb wait_colour title 'waits', ". \
    bar_of("hold").":(r - 0.42):(r + 0.42) with boxxyerror fillcolor rgb hold_colour title 'holds', \
    NaN with boxes fillcolor rgb crash_colour title (Crashes > 0 ? 'is down' : ''), NaN with boxes fillcolor rgb pause_colour title (Pauses > 0 ? 'is paused' : '')"
}
unset multiplot
