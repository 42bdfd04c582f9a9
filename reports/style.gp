# style.gp - one style for all pictures: colours, fonts, sizes, and what each template has to know of its data. Loaded by all of them.
# data   folders that `locksim simulate` wrote, divided by blanks; a name with blanks in double quotes
# out    the picture to write; a name that ends in .png makes a PNG, any other an SVG
# width  (may be left out) in pixels
if (!exists("data") || !exists("out")) {
  print "usage: gnuplot -e \"data='DIR DIR'; out='picture.svg'\" reports/cdf.gp"
  exit status 64
}
set encoding utf8
set datafile separator tab
set datafile commentschars "#"
set datafile columnheaders

runs = words(data)
file(i, name) = word(data, i)."/".name.".tsv"
if (!exists("width")) width = 820

# What each run says of itself. A title with underscores or braces is shown as it is: nothing here is enhanced text.
array Name[runs]; array Load[runs]; array Clients[runs]; array Seeds[runs]; array Seed[runs]
array Grants[runs]; array All[runs]; array Handoffs[runs]
do for [i = 1:runs] {
  name = ""; scenario = ""; workload = ""; clients = "?"; seeds = "1"; seed = "1"; counted = ""; all = ""; handed = ""
  set table $none
  plot file(i, "meta") using (key = strcol(1), value = strcol(2), \
      key eq "label" ? (name = value) : key eq "scenario" ? (scenario = value) : key eq "workload" ? (workload = value) : \
      key eq "clients" ? (clients = value) : key eq "grants" ? (counted = value) : key eq "acquisitions" ? (all = value) : \
      key eq "handoffs" ? (handed = value) : key eq "seed" ? (seed = value) : key eq "seeds" ? (seeds = value) : value, 0):(0) with table
  unset table
  if (name eq "") {
    name = scenario
    while (strstrt(name, "/") > 0) { name = name[strstrt(name, "/") + 1:*] }
    if (strlen(name) > 4 && name[strlen(name) - 3:*] eq ".lua") { name = name[1:strlen(name) - 4] }
  }
  Name[i] = name; Load[i] = workload eq " " ? "" : workload; Clients[i] = clients; Seeds[i] = seeds; Seed[i] = seed
  grants = 0; handoffs = 0
  set table $none
  plot file(i, "clients") using (grants = grants + column("grants"), 0):(0) with table
  if (handed eq "") {
    plot file(i, "handoff") using (handoffs = handoffs + column("count"), 0):(0) with table
  }
  unset table
  Grants[i] = counted eq "" ? grants : counted + 0
  All[i] = all eq "" ? Grants[i] : all + 0
  Handoffs[i] = handed eq "" ? handoffs : handed + 0
}

# Each series differs by colour (Okabe and Ito, "Color Universal Design", 2008: told apart by the colour-blind), by dashes and by its points.
array Colour[8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9", "#7f7f7f"]
set dashtype 2 (12,4)
set dashtype 3 (4,3)
set dashtype 4 (14,4,3,4)
set dashtype 5 (2,3)
set dashtype 6 (18,5)
set dashtype 7 (8,3,2,3,2,3)
set dashtype 8 (30,3)
array Point[8] = [7, 9, 5, 11, 13, 6, 8, 4]
do for [i = 1:8] { set linetype i linecolor rgb Colour[i] linewidth 2.2 dashtype i pointtype Point[i] pointsize 0.7 }
set linetype cycle 8
colour(i) = Colour[(i - 1) % 8 + 1]
ink = "#333333"; faint = "#6b6b6b"; pale = "#dddddd"
wait_colour = "#f0c27a"; hold_colour = "#0072b2"
crash_colour = "#444444"; pause_colour = "#56b4e9"; shade_colour = "#ececec"

# The title is the one text of this size: `locksim plot` makes it bold in an SVG, whose fonts have no other way to say so here.
is_png = strlen(out) > 4 && out[strlen(out) - 3:*] eq ".png"
plain_font = "DejaVu Sans,11"; small_font = "DejaVu Sans,9"; tiny_font = "DejaVu Sans,7"
title_font = is_png ? "DejaVu Sans:Bold,14" : "DejaVu Sans,14"

# height: of the whole picture. Sets the terminal, the title above, and below it what the runs are.
open = 'set terminal '.(is_png ? 'pngcairo' : 'svg').' size width, height font plain_font noenhanced background "#ffffff" linewidth 1; \
  set output out'
same_load = 1
do for [i = 2:runs] { if (Load[i] ne Load[1] || Clients[i] ne Clients[1] || Seeds[i] ne Seeds[1] || Seed[i] ne Seed[1]) { same_load = 0 } }
commas(n) = strlen(n) > 3 ? commas(n[1:strlen(n) - 3]).",".n[strlen(n) - 2:*] : n
many(n, what) = n eq "1" ? "1 ".what : commas(n)." ".what."s"
# A picture shows the first seed alone (first_only), or all of them together.
first_only = 0
seeds_of(i) = Seeds[i] eq "1" || !first_only ? many(Seeds[i], "seed") : Seed[i] eq "1" ? "seed 1 of ".Seeds[i] : \
  "seed ".Seed[i].", the first of ".Seeds[i]
about(i) = (Load[i] eq "" ? "" : Load[i].": ").many(Clients[i], "client").", ".seeds_of(i)
# The name of a run where there are several: with its workload if these differ.
label(i) = same_load || Load[i] eq "" ? Name[i] : Name[i].", ".Load[i]
# How many of what a picture shows, and of which time: in the second line below the title, or beside each run's name where these differ.
n_what = "acquisitions"
n_of(i) = first_only ? Grants[i] : All[i]
n_text(i) = "n = ".commas(sprintf("%.0f", n_of(i)))
secs(x) = sprintf("%.4g s", x)
span_of(i) = secs(Begins[i])." to ".secs(Ends[i])
facts(i) = n_text(i).(same_span ? "" : " in ".span_of(i))
label_n(i) = label(i)."   ".facts(i)
note = ""
measured = 'measured = runs == 1 ? n_text(1)." ".n_what." in ".span_of(1)." of virtual time" : \
  "n: ".n_what." in ".(same_span ? span_of(1) : "so much")." of virtual time"; \
  if (note ne "") { measured = measured."; ".note }'
heading = 'eval measured; \
  set label 1001 title_text at screen 0, screen 1 offset character 1.5, -1.5 left font title_font textcolor rgb ink front; \
  set label 1002 (runs == 1 ? Name[1]."   ".about(1) : same_load ? about(1) : "") at screen 16.0 / width, screen 1 - 41.0 / height \
    left font small_font textcolor rgb faint front; \
  set label 1006 measured at screen 16.0 / width, screen 1 - 56.0 / height left font small_font textcolor rgb faint front'
# Where there is nothing to draw: a frame and the reason. The caller plots nothing but this.
nobody = 'set label 1003 "nobody acquired the lock" at graph 0.5, graph 0.5 center textcolor rgb faint front'

set border 3 linecolor rgb "#888888" linewidth 0.8
set tics out nomirror scale 0.6, 0.3 font small_font textcolor rgb ink
set grid xtics ytics linetype 1 linecolor rgb "#e6e6e6" linewidth 0.6, linetype 1 linecolor rgb "#f2f2f2" linewidth 0.5
set grid back
set key off
set style fill solid 1.0 noborder

# Tics of lengths on a log axis carry their unit; so do those of shares.
lengths = '("1 µs" 0.001, "10 µs" 0.01, "0.1 ms" 0.1, "1 ms" 1, "10 ms" 10, "0.1 s" 100, "1 s" 1000, "10 s" 1e4, "100 s" 1e5, "1000 s" 1e6, "10⁴ s" 1e7, "10⁵ s" 1e8, "10⁶ s" 1e9)'
shares = '("100 %%" 1, "10 %%" 0.1, "1 %%" 0.01, "0.1 %%" 1e-3, "0.01 %%" 1e-4, "0.001 %%" 1e-5, "10⁻⁴ %%" 1e-6, "10⁻⁵ %%" 1e-7)'
length(ms) = ms >= 100 ? sprintf("%g s", ms / 1000.0) : ms >= 0.1 ? sprintf("%g ms", ms) : sprintf("%g µs", ms * 1000.0)
floor10(x) = 10 ** floor(log10(x) + 1e-9)
ceil10(x) = 10 ** ceil(log10(x) - 1e-9)

# A log axis from `low` to `high`. What lies below `low` (0 has no place on it at all) stands in a band of its own, beyond a break of
# the axis. `least`: the least above 0; `zeros`: how many are 0. Then at(w) is where w is drawn.
zeros = 0
broken(low, high) = (real(high) / low) ** (zeros > 0 || least < low ? 0.1 : 0)
below_text(low) = least < low ? "< ".length(low) : "0"
at(w) = w < low ? low / sqrt(broken(low, high)) : w
break_x = 'set xrange [low / broken(low, high):high]; if (broken(low, high) > 1) { \
  set xtics add (below_text(low) low / sqrt(broken(low, high)), "" low); \
  set object 901 rectangle from graph 0, graph 0 to first low, graph 1 behind fillcolor rgb "#f4f4f4" fillstyle solid 1.0 noborder; \
  set arrow 901 from first low, graph 0 to first low, graph 1 nohead back linecolor rgb "#b0b0b0" linewidth 0.8 dashtype (2,3); \
  set label 901 "//" at first low, graph 0 center font small_font textcolor rgb ink front }'
break_y = 'set yrange [low / broken(low, high):high]; if (broken(low, high) > 1) { \
  set ytics add (below_text(low) low / sqrt(broken(low, high)), "" low); \
  set object 901 rectangle from graph 0, graph 0 to graph 1, first low behind fillcolor rgb "#f4f4f4" fillstyle solid 1.0 noborder; \
  set arrow 901 from graph 0, first low to graph 1, first low nohead back linecolor rgb "#b0b0b0" linewidth 0.8 dashtype (2,3); \
  set label 901 "//" at graph 0, first low center rotate by 90 font small_font textcolor rgb ink front }'

# The least above 0 and the greatest of a column, over all runs, and how many are 0: `column_of`, `table_of`; `least`, `most`, `zeros`.
extent = 'least = 1e99; most = 0; zeros = 0; set table $none; \
  plot for [i = 1:runs] file(i, table_of) using (w = column(column_of), most = (w > most ? w : most), least = (w > 0 && w < least ? w : least), \
    zeros = zeros + (w == 0), 0):(0) with table; \
  unset table; if (most <= 0) { least = 1; most = 10 }'

# Instants are in s. Where runs lasted about as long as each other they share an axis.
if (!exists("window_table")) { window_table = "wait_time" }
array Begins[runs]; array Ends[runs]; array Window[runs]
ends_most = 0; ends_least = 1e99; begins_least = 1e99; same_span = 1
do for [i = 1:runs] {
  begins = 1e99; ends = 0; window_ms = 0
  set table $none
  plot file(i, "wait_time") using (x = column("from_ms"), begins = (x < begins ? x : begins), x = column("to_ms"), ends = (x > ends ? x : ends), 0):(0) with table
  plot file(i, window_table) using (x = column("to_ms") - column("from_ms"), window_ms = (x > window_ms ? x : window_ms), 0):(0) with table
  unset table
  if (ends <= 0) { begins = 0; ends = 1000 }
  Begins[i] = begins / 1000.0; Ends[i] = ends / 1000.0; Window[i] = window_ms
  ends_most = Ends[i] > ends_most ? Ends[i] : ends_most; ends_least = Ends[i] < ends_least ? Ends[i] : ends_least
  begins_least = Begins[i] < begins_least ? Begins[i] : begins_least
  if (secs(Begins[i]) ne secs(Begins[1]) || secs(Ends[i]) ne secs(Ends[1])) { same_span = 0 }
}
same_times = ends_most < 3 * ends_least
time_axis = 'x_least = same_times ? begins_least : Begins[k]; x_most = same_times ? ends_most : Ends[k]; \
  set xrange [x_least:x_most]; set format x "%.10g"; \
  if (k == runs) { set xlabel "virtual time (s)" textcolor rgb ink } else { unset xlabel }'
# "windows of 0.5 s", or "windows of 0.5 s to 2 s" where the runs differ. They are those of `window_table`.
window_note = 'least_window = 1e99; most_window = 0; do for [i = 1:runs] { \
    if (Window[i] > 0 && Window[i] < least_window) { least_window = Window[i] }; \
    if (Window[i] > most_window) { most_window = Window[i] } }; \
  if (most_window > 0) { note = "windows of ".length(least_window).(most_window > least_window ? " to ".length(most_window) : "") }'

# Faults, for each run in the order in which they began. Those that overlap lie in lanes, one above the other.
faults_max = 1000; lanes_max = 5; lane_height = 12; lanes_most = 0
Crashes = 0; Pauses = 0
array FaultCount[runs]; array Lane_end[lanes_max]
if (runs <= 8) {
  array From[runs * faults_max]; array To[runs * faults_max]; array What[runs * faults_max]; array Who[runs * faults_max]; array Lane[runs * faults_max]; array Room[runs * faults_max]
  do for [i = 1:runs] {
    do for [l = 1:lanes_max] { Lane_end[l] = -1e99 }
    n = 0; base = (i - 1) * faults_max; least_width = 0.003 * (Ends[i] - Begins[i])
    set table $none
    plot file(i, "faults") every ::0::(faults_max - 1) using (n = n + 1, f = column("from_ms") / 1000.0, \
        t = (strcol("to_ms") eq "-" ? Ends[i] : column("to_ms") / 1000.0), t = (t < f + least_width ? f + least_width : t), \
        Who[base + n] = strcol("client"), \
        l = (f >= Lane_end[1] ? 1 : f >= Lane_end[2] ? 2 : f >= Lane_end[3] ? 3 : f >= Lane_end[4] ? 4 : 5), \
        Room[base + n] = f >= Lane_end[l], Lane_end[l] = t, \
        lanes_most = (l > lanes_most ? l : lanes_most), From[base + n] = f, To[base + n] = t, Lane[base + n] = l, \
        What[base + n] = strcol("what"), \
        Crashes = Crashes + (strcol("what") eq "crash"), Pauses = Pauses + (strcol("what") eq "pause"), 0):(0) with table
    unset table
    FaultCount[i] = n
  }
}
strip = lanes_most ? lanes_most * lane_height + 4 : 0
# Run k's faults: a strip of bars above its panel, each with the name of the client where there is room, and the panel shaded wherever
# anybody is down or paused: one shade, however many they are.
fault_bars = 'base = (k - 1) * faults_max; shade_from = 1e99; shade_to = -1e99; panel_pixels = width - panel_left - panel_right; \
  do for [n = 1:FaultCount[k]] { \
    f = From[base + n] < x_least ? x_least : From[base + n]; t = To[base + n] > x_most ? x_most : To[base + n]; \
    if (t > f) { \
      y = panel_top(k) + (2.0 + (Lane[base + n] - 1) * lane_height) / height; down = What[base + n] eq "crash"; \
      set object 1000 + n rectangle from first f, screen y to first t, screen y + (lane_height - 2.0) / height noclip front \
        fillcolor rgb down ? crash_colour : pause_colour fillstyle solid 1.0 noborder; \
      if (Room[base + n] && (t - f) / (x_most - x_least) * panel_pixels > 5.0 * strlen(Who[base + n]) + 4) { \
        set label 2000 + n Who[base + n] at first (f + t) / 2, screen y + (lane_height / 2.0 - 1) / height center font tiny_font \
          textcolor rgb down ? "#ffffff" : "#000000" front }; \
      if (f > shade_to) { \
        set object 3000 + n rectangle from first f, graph 0 to first t, graph 1 behind fillcolor rgb shade_colour fillstyle solid 1.0 noborder; \
        shade_from = f; shade_to = t; shade = n } else { if (t > shade_to) { shade_to = t; \
        set object 3000 + shade rectangle from first shade_from, graph 0 to first t, graph 1 behind fillcolor rgb shade_colour fillstyle solid 1.0 noborder } } } }'
no_fault_bars = 'if (k > 1) { do for [n = 1:FaultCount[k - 1]] { unset object 1000 + n; unset label 2000 + n; unset object 3000 + n } }'
faults = "NaN with boxes fillcolor rgb crash_colour title (Crashes > 0 ? 'a client is down' : ''), \
  NaN with boxes fillcolor rgb pause_colour title (Pauses > 0 ? 'a client is paused' : ''), \
  NaN with boxes fillcolor rgb shade_colour title (Crashes + Pauses > 0 ? 'somebody is down or paused' : '')"

# The key stands in rows of its own above everything; those of several runs may need more than one.
key_chars = 0
do for [i = 1:runs] { key_chars = key_chars + strlen(label_n(i)) + 12 }
key_rows = runs == 1 ? 0 : int(ceil(key_chars * 6.2 / (width - 60)))
key_above = 'set key at screen 24.0 / width, screen 1 - 70.0 / height left top horizontal Left reverse samplen 3 spacing 1.1 width 1 font small_font textcolor rgb ink'

# One panel for each run, one above the other: `panel` pixels high, `gap` between them, `head` above all; 58 below for the axis.
# A picture over time has the strip of faults between a run's name and its panel.
head = 120; gap = 46; panel = 130; above = 0
panels_height(n) = head + above + n * panel + (n - 1) * (gap + above) + 58
panel_top(k) = 1 - (head + above + (k - 1) * (panel + gap + above)) / real(height)
panel_left = 88; panel_right = 26
place = 'set tmargin at screen panel_top(k); set bmargin at screen panel_top(k) - panel / real(height); \
  set lmargin at screen panel_left / real(width); set rmargin at screen 1 - panel_right / real(width); \
  if (k > 1) { unset label 1001; unset label 1002; unset label 1006; unset key }; \
  if (runs > 1) { set label 1004 label_n(k) at screen panel_left / real(width), screen panel_top(k) + (above + 9.0) / height left \
    font plain_font textcolor rgb ink front }; \
  if (Grants[k] == 0) { eval nobody } else { unset label 1003 }'
# Names of clients below an axis: slanted where they are too long to stand beside each other.
longest_name = 1
do for [i = 1:runs] {
  set table $none
  plot file(i, "clients") using (n = strlen(strcol("client")), longest_name = (n > longest_name ? n : longest_name), 0):(0) with table
  unset table
}
slant = 'if (clients_most <= 30 && longest_name * 5.6 > (width - panel_left - panel_right) / real(clients_most)) { set xtics rotate by -35 left font tiny_font }'

# A number of summary.tsv with its interval, or "-".
summary_value = 'value = "-"; set table $none; \
  plot file(i, "summary") using (strcol("metric") eq metric_of ? (value = strcol("value")) : "", 0):(0) with table; unset table'
