# grants.gp - how often each client got the lock, and how often it gave up; of more than 60 clients: how many got it at most so often.
# By hand: gnuplot -e "data='DIR DIR'; out='grants.svg'" reports/grants.gp
load ARG0[1:strlen(ARG0) - strlen("grants.gp")]."style.gp"

most = 0; timeouts = 0; clients_most = 0
set table $none
plot for [i = 1:runs] file(i, "clients") using (t = column("timeouts"), g = column("grants") + t, timeouts = timeouts + t, most = (g > most ? g : most), 0):(0) with table
unset table
do for [i = 1:runs] { clients_most = Clients[i] + 0 > clients_most ? Clients[i] + 0 : clients_most }
if (most < 1) { most = 1 }
first_only = 1
title_text = "How often each client got the lock"
panel = runs == 1 ? 260 : 110
height = panels_height(runs)
eval open
eval heading
eval key_above
set multiplot
set format y "%.10g"
if (clients_most <= 60) {
  set yrange [0:most * 1.1]
  set xrange [-0.7:clients_most - 0.3]
  set boxwidth 0.72
  set grid noxtics
  set xtics scale 0
  eval slant
  if (clients_most > 30) { set format x "" }
  do for [k = 1:runs] {
    eval place
    set ylabel "acquisitions" textcolor rgb ink
    if (k == runs) { set xlabel "client" textcolor rgb ink }
    name_of = clients_most <= 30 ? ":xticlabels(strcol('client'))" : ""
    eval "plot file(k, 'clients') using ($0):(column('grants') + column('timeouts')) with boxes fillcolor rgb wait_colour title (timeouts > 0 ? 'gave up' : ''), \
      file(k, 'clients') using ($0):(column('grants'))".name_of." with boxes fillcolor rgb hold_colour title (timeouts > 0 ? 'got it' : ''), \
      Grants[k] / (Clients[k] + 0.0) with lines linecolor rgb '#000000' linewidth 1 dashtype 3 title 'an equal share'"
  }
} else {
  set xrange [-0.02 * most:most * 1.02]
  set format x "%.10g"
  set yrange [0:1.02]
  set ytics ("0 %%" 0, "50 %%" 0.5, "100 %%" 1)
  do for [k = 1:runs] {
    eval place
    if (k == runs) { set xlabel "acquisitions" textcolor rgb ink }
    set ylabel "clients with at most that" textcolor rgb ink
    set arrow 1 from Grants[k] / (Clients[k] + 0.0), graph 0 rto 0, graph 1 nohead linecolor rgb "#000000" linewidth 1 dashtype 3
    plot file(k, "clients") using (column("grants")):(1) smooth cnormal with steps linetype 1 notitle, \
         NaN with lines linecolor rgb "#000000" linewidth 1 dashtype 3 title "an equal share"
  }
}
unset multiplot
