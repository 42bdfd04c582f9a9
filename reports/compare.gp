# compare.gp - many runs side by side, one row each: waits, overtakes, hand-offs, and what they cost, with intervals over the seeds.
# By hand: gnuplot -e "data='DIR DIR DIR'; out='compare.svg'" reports/compare.gp
load ARG0[1:strlen(ARG0) - strlen("compare.gp")]."style.gp"

# `points`, what is drawn: metrics of summary.tsv. What is 0 or not known has no place on a log scale: 0 stands at the left edge.
array Value[runs]; array Low[runs]; array High[runs]
read_metric = 'do for [i = 1:runs] { v = NaN; l = NaN; h = NaN; set table $none; \
  plot file(i, "summary") using (strcol("metric") eq metric_of ? (v = column("value"), l = column("lo"), h = column("hi"), 0) : 0):(0) with table; \
  unset table; Value[i] = v; Low[i] = l; High[i] = h }'

row = 17
head = 108
height = head + runs * row + 44
title_text = "Side by side"
names = 0
do for [i = 1:runs] { names = strlen(label(i)) > names ? strlen(label(i)) : names }
left = 14 + names * 6.6
columns = 4
column_width = (width - left - 12.0) / columns
eval open
eval heading
set multiplot
set yrange [runs + 0.6:0.4]
set tmargin at screen 1 - head / real(height)
set bmargin at screen 44.0 / height
set border 1
set grid noytics
unset ytics
set key off
# Labels for scales of up to three decades, and for longer ones.
array Tics[4] = [ \
  '("0.001" 1e-3, "0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100, "1000" 1000, "10⁴" 1e4, "10⁵" 1e5, "10⁶" 1e6)', \
  '("" 1e-3, "0.01" 0.01, "" 0.1, "1" 1, "" 10, "100" 100, "" 1000, "10⁴" 1e4, "" 1e5, "10⁶" 1e6, "" 1e7)', \
  '("1 µs" 1e-3, "10 µs" 0.01, "0.1 ms" 0.1, "1 ms" 1, "10 ms" 10, "0.1 s" 100, "1 s" 1000, "10 s" 1e4, "100 s" 1e5, "10³ s" 1e6, "10⁴ s" 1e7)', \
  '("" 1e-3, "10 µs" 0.01, "" 0.1, "1 ms" 1, "" 10, "0.1 s" 100, "" 1000, "10 s" 1e4, "" 1e5, "10³ s" 1e6, "" 1e7)' ]
array First[4] = ["wait_mean", "overtaken_mean", "handoff_mean", "commands"]
array Second[4] = ["wait_p99", "overtaken_max", "handoff_p99", "requests"]
array Heading[4] = ["wait", "overtaken by", "hand-off", "Redis, per acquisition"]
array Sub[4] = ["● mean   ○ p99", "● mean   ○ most", "● mean   ○ p99", "● commands   ○ requests"]
do for [c = 1:columns] {
  metric_of = Second[c]
  eval read_metric
  least = 1e99; most = 0
  array Second_value[runs]
  do for [i = 1:runs] {
    Second_value[i] = Value[i]
    if (Value[i] > 0) { least = Value[i] < least ? Value[i] : least; most = Value[i] > most ? Value[i] : most }
  }
  metric_of = First[c]
  eval read_metric
  do for [i = 1:runs] {
    if (Value[i] > 0) { least = Value[i] < least ? Value[i] : least; most = Value[i] > most ? Value[i] : most }
  }
  if (most <= 0) { least = 1; most = 10 }
  if (c == 2 && least < 0.011) { least = 0.011 }
  low = 10 ** floor(log10(least * 0.9)); high = 10 ** ceil(log10(most * 1.15))
  if (high < 10 * low) { high = 10 * low }
  set logscale x
  set xrange [low:high]
  eval "set xtics ".Tics[(c == 1 || c == 3 ? 3 : 1) + (high > 1001 * low ? 1 : 0)]
  set lmargin at screen (left + (c - 1) * column_width + 6) / width
  set rmargin at screen (left + c * column_width - 30) / width
  set label 1010 Heading[c] at graph 0, graph 1 offset 0, 1.7 left font plain_font textcolor rgb ink
  set label 1011 Sub[c] at graph 0, graph 1 offset 0, 0.6 left font small_font textcolor rgb faint
  at(v) = v < low ? low : v
  if (c == 1) { do for [i = 1:runs] { set label i label(i) at screen (left - 4) / width, first i right font small_font textcolor rgb ink } }
  if (c == 2) { do for [i = 1:runs] { unset label i }; unset label 1001; unset label 1002 }
  set style arrow 1 nohead linecolor rgb "#d8d8d8" linewidth 1
  plot [][] "+" using (low):($0 < runs ? $0 + 1 : NaN):(high - low):(0) every ::0::(runs - 1) with vectors arrowstyle 1 notitle, \
    for [i = 1:runs] "+" using (at(Low[i])):(i):(at(High[i]) - at(Low[i])):(0) every ::0::0 with vectors nohead linecolor rgb "#0072b2" linewidth 3 dashtype solid notitle, \
    for [i = 1:runs] "+" using (at(Second_value[i])):(i) every ::0::0 with points pointtype 6 pointsize 0.8 linewidth 1.6 linecolor rgb "#d55e00" notitle, \
    for [i = 1:runs] "+" using (at(Value[i])):(i) every ::0::0 with points pointtype 7 pointsize 0.7 linecolor rgb "#0072b2" notitle
}
unset multiplot
