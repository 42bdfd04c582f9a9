# compare.gp - many runs side by side, one row each: waits, overtakes, hand-offs, and what they cost, with intervals over the seeds.
# By hand: gnuplot -e "data='DIR DIR DIR'; out='compare.svg'" reports/compare.gp
load ARG0[1:strlen(ARG0) - strlen("compare.gp")]."style.gp"

# The number of each run and its interval, of the metric `metric_of`. A number that is not known is not drawn.
array Value[runs]; array Low[runs]; array High[runs]
array Second_value[runs]; array Second_low[runs]; array Second_high[runs]
read_metric = 'do for [i = 1:runs] { v = NaN; l = NaN; h = NaN; set table $none; \
  plot file(i, "summary") using (strcol("metric") eq metric_of ? (v = column("value"), l = column("lo"), h = column("hi"), 0) : 0):(0) with table; \
  unset table; Value[i] = v; Low[i] = l; High[i] = h }'
# What is above 0 sets the scale; what is 0 is counted: it stands beyond a break of the axis, as what is below the scale does.
note_value = 'do for [i = 1:runs] { \
  if (Value[i] > 0) { least = Value[i] < least ? Value[i] : least; most = Value[i] > most ? Value[i] : most }; \
  if (High[i] > most) { most = High[i] }; \
  if (Value[i] == 0) { zeros = zeros + 1 } }'

row = 18
head = 128
first_only = 0
height = head + runs * row + 48
title_text = "Side by side"
names = 0
do for [i = 1:runs] { names = strlen(label(i)) > names ? strlen(label(i)) : names }
left = 14 + names * 6.6
columns = 4
column_width = (width - left - 12.0) / columns
several_seeds = 0
do for [i = 1:runs] { several_seeds = several_seeds || Seeds[i] ne "1" }
note = several_seeds ? "bars: 95 % interval of the mean over the seeds; where none is seen it is narrower than its mark" : "one seed: no intervals"
eval open
eval heading
least_n = 1e99; most_n = 0
do for [i = 1:runs] { least_n = All[i] < least_n ? All[i] : least_n; most_n = All[i] > most_n ? All[i] : most_n }
n_range = commas(sprintf("%.0f", least_n)).(most_n > least_n ? " to ".commas(sprintf("%.0f", most_n)) : "")
set label 1006 "n = ".n_range." acquisitions each, in ".(same_span ? span_of(1)." of virtual time" : "up to ".secs(ends_most)." of virtual time")
set multiplot
set yrange [runs + 0.6:0.4]
set tmargin at screen 1 - head / real(height)
set bmargin at screen 48.0 / height
set border 1
set grid noytics
unset ytics
set key off
set errorbars small
# Labels for scales of up to three decades, and for longer ones.
array Tics[4] = [ \
  '("0.001" 1e-3, "0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100, "1000" 1000, "10⁴" 1e4, "10⁵" 1e5, "10⁶" 1e6)', \
  '("" 1e-3, "0.01" 0.01, "" 0.1, "1" 1, "" 10, "100" 100, "" 1000, "10⁴" 1e4, "" 1e5, "10⁶" 1e6, "" 1e7)', \
  '("1 µs" 1e-3, "10 µs" 0.01, "0.1 ms" 0.1, "1 ms" 1, "10 ms" 10, "0.1 s" 100, "1 s" 1000, "10 s" 1e4, "100 s" 1e5, "10³ s" 1e6, "10⁴ s" 1e7)', \
  '("" 1e-3, "10 µs" 0.01, "" 0.1, "1 ms" 1, "" 10, "0.1 s" 100, "" 1000, "10 s" 1e4, "" 1e5, "10³ s" 1e6, "" 1e7)' ]
array First[4] = ["wait_mean", "overtaken_mean", "handoff_mean", "commands"]
array Second[4] = ["wait_p99", "overtaken_max", "handoff_p99", "requests"]
array Heading[4] = ["wait", "overtaken by", "hand-off", "Redis, per acquisition"]
array First_name[4] = ["mean", "mean", "mean", "commands"]
array Second_name[4] = ["p99", "most", "p99", "requests"]
cuts = 0
first_colour = "#0072b2"; second_colour = "#d55e00"
below_text(low) = least < low ? sprintf("< %g", low) : "0"
do for [c = 1:columns] {
  least = 1e99; most = 0; zeros = 0
  metric_of = Second[c]
  eval read_metric
  eval note_value
  do for [i = 1:runs] { Second_value[i] = Value[i]; Second_low[i] = Low[i]; Second_high[i] = High[i] }
  metric_of = First[c]
  eval read_metric
  eval note_value
  if (most <= 0) { least = 1; most = 10 }
  low = 10 ** floor(log10(least * 0.9)); high = 10 ** ceil(log10(most * 1.15))
  if (c == 2 && low < 0.01) { low = 0.01 }
  if (high < 10 * low) { high = 10 * low }
  set logscale x
  unset xtics
  set xtics out nomirror scale 0.6, 0.3 font small_font textcolor rgb ink
  eval "set xtics ".Tics[(c == 1 || c == 3 ? 3 : 1) + (high > 1001 * low ? 1 : 0)]
  unset object 901; unset arrow 901; unset label 901
  eval break_x
  set lmargin at screen (left + (c - 1) * column_width + 6) / width
  set rmargin at screen (left + c * column_width - 30) / width
  top = 1 - (head - 22.0) / height
  set label 1010 Heading[c] at graph 0, screen top left font plain_font textcolor rgb ink
  top = 1 - (head - 7.0) / height
  set label 1011 "●" at graph 0, screen top left font small_font textcolor rgb first_colour
  set label 1012 First_name[c] at graph 0, screen top offset character 1.3, 0 left font small_font textcolor rgb faint
  set label 1013 "○" at graph 0, screen top offset character 3.1 + 0.95 * strlen(First_name[c]), 0 left font small_font textcolor rgb second_colour
  set label 1014 Second_name[c] at graph 0, screen top offset character 4.4 + 0.95 * strlen(First_name[c]), 0 left font small_font textcolor rgb faint
  if (c == 1) { do for [i = 1:runs] { set label i label(i) at screen (left - 4) / width, first i right font small_font textcolor rgb ink } }
  if (c == 2) { do for [i = 1:runs] { unset label i }; unset label 1001; unset label 1002; unset label 1006 }
  set style arrow 1 nohead linecolor rgb "#e2e2e2" linewidth 1
  # An interval that goes on below the scale ends in an arrow, which the last column's note explains.
  cut(v, l) = v >= low && l < low ? low / broken(low, high) - v : NaN
  do for [i = 1:runs] { cuts = cuts + (Value[i] >= low && Low[i] < low) + (Second_value[i] >= low && Second_low[i] < low) }
  if (c == columns) { set label 1007 note.(cuts ? "; arrow: it goes on below the scale" : "") at screen 16.0 / width, screen 1 - 71.0 / height left font small_font textcolor rgb faint front }
  edge = low / broken(low, high)
  plot [][] "+" using (edge):($0 < runs ? $0 + 1 : NaN):(high - edge):(0) every ::0::(runs - 1) with vectors arrowstyle 1 notitle, \
    for [i = 1:runs] "+" using (at(Second_value[i])):(i) every ::0::0 with points pointtype 6 pointsize 0.75 linewidth 1.4 linecolor rgb second_colour notitle, \
    for [i = 1:runs] "+" using (at(Value[i])):(i) every ::0::0 with points pointtype 7 pointsize 0.6 linecolor rgb first_colour notitle, \
    for [i = 1:runs] "+" using (at(Second_value[i])):(i):(at(Second_low[i])):(at(Second_high[i])) every ::0::0 with xerrorbars pointtype 0 linewidth 2 dashtype solid linecolor rgb second_colour notitle, \
    for [i = 1:runs] "+" using (at(Value[i])):(i):(at(Low[i])):(at(High[i])) every ::0::0 with xerrorbars pointtype 0 linewidth 2 dashtype solid linecolor rgb first_colour notitle, \
    for [i = 1:runs] "+" using (at(Second_value[i])):(i):(cut(Second_value[i], Second_low[i])):(0) every ::0::0 with vectors head filled size screen 0.008, 25 fixed linetype 1 linewidth 1.3 linecolor rgb second_colour notitle, \
    for [i = 1:runs] "+" using (at(Value[i])):(i):(cut(Value[i], Low[i])):(0) every ::0::0 with vectors head filled size screen 0.008, 25 fixed linetype 1 linewidth 1.3 linecolor rgb first_colour notitle
}
unset multiplot
