# boxes.gp - each client's waits as a box: from the shortest to the longest, the middle half, the median. Of more than 60 clients:
# how many of them have a median, a p90, a p99, a longest wait of at most so long.
# By hand: gnuplot -e "data='DIR DIR'; out='boxes.svg'" reports/boxes.gp
load ARG0[1:strlen(ARG0) - strlen("boxes.gp")]."style.gp"

table_of = "clients"; column_of = "q1"
eval extent
low = least
column_of = "q_max"
eval extent
if (low > most) { low = most }
low = floor10(low * 0.5); high = most * 1.3
if (high < 10 * low) { high = 10 * low }
column_of = "q_min"
eval extent
first_only = 1
clients_most = 0
do for [i = 1:runs] { clients_most = Clients[i] + 0 > clients_most ? Clients[i] + 0 : clients_most }
title_text = "Each client's waits"
panel = runs == 1 ? 280 : 140
height = panels_height(runs)
eval open
eval heading
eval key_above
set multiplot
if (clients_most <= 60) {
  set logscale y
  eval "set ytics ".lengths
  eval break_y
  set xrange [-0.7:clients_most - 0.3]
  set boxwidth 0.6
  set grid noxtics
  set xtics scale 0
  eval slant
  do for [k = 1:runs] {
    eval place
    set ylabel "wait" textcolor rgb ink
    if (k == runs) { set xlabel "client" textcolor rgb ink }
    set style fill solid 1.0 border rgb "#0072b2"
    name_of = clients_most <= 30 ? ":xticlabels(strcol('client'))" : ""
    if (clients_most > 30) { set format x "" }
    eval "plot file(k, 'clients') using ($0):(at(column('q1'))):(at(column('q_min'))):(at(column('q_max'))):(at(column('q3')))".name_of. \
      " with candlesticks fillcolor rgb '#cfe3f1' linecolor rgb '#0072b2' linewidth 1.1 title 'middle half, shortest and longest', \
      file(k, 'clients') using ($0 - 0.3):(at(column('median'))):(0.6):(0) with vectors nohead linecolor rgb '#000000' linewidth 2.2 dashtype solid title 'median'"
  }
} else {
  set logscale x
  eval "set xtics ".lengths
  eval break_x
  set yrange [0:1.02]
  set ytics ("0 %%" 0, "50 %%" 0.5, "100 %%" 1)
  do for [k = 1:runs] {
    eval place
    if (k == runs) { set xlabel "wait" textcolor rgb ink }
    set ylabel "clients with at most that" textcolor rgb ink
    plot file(k, "clients") using (at(column("wait_p50_ms"))):(1) smooth cnormal linetype 1 title "their median", \
         file(k, "clients") using (at(column("wait_p90_ms"))):(1) smooth cnormal linetype 2 title "p90", \
         file(k, "clients") using (at(column("wait_p99_ms"))):(1) smooth cnormal linetype 3 title "p99", \
         file(k, "clients") using (at(column("wait_max_ms"))):(1) smooth cnormal linetype 4 title "longest"
  }
}
unset multiplot
