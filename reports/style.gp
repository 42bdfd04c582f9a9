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
array Name[runs]; array Load[runs]; array Clients[runs]; array Seeds[runs]; array Grants[runs]
do for [i = 1:runs] {
  name = ""; scenario = ""; workload = ""; clients = "?"; seeds = "1"; counted = ""
  set table $none
  plot file(i, "meta") using (key = strcol(1), value = strcol(2), \
      key eq "label" ? (name = value) : key eq "scenario" ? (scenario = value) : key eq "workload" ? (workload = value) : \
      key eq "clients" ? (clients = value) : key eq "grants" ? (counted = value) : key eq "seeds" ? (seeds = value) : value, 0):(0) with table
  unset table
  if (name eq "") {
    name = scenario
    while (strstrt(name, "/") > 0) { name = name[strstrt(name, "/") + 1:*] }
    if (strlen(name) > 4 && name[strlen(name) - 3:*] eq ".lua") { name = name[1:strlen(name) - 4] }
  }
  Name[i] = name; Load[i] = workload eq " " ? "" : workload; Clients[i] = clients; Seeds[i] = seeds
  grants = 0
  set table $none
  plot file(i, "clients") using (grants = grants + column("grants"), 0):(0) with table
  unset table
  Grants[i] = counted eq "" ? grants : counted + 0
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
crash_colour = "#444444"; pause_colour = "#2a9fe0"

plain_font = "DejaVu Sans,11"; small_font = "DejaVu Sans,9"; bold_font = "DejaVu Sans:Bold,13"
is_png = strlen(out) > 4 && out[strlen(out) - 3:*] eq ".png"

# height: of the whole picture. Sets the terminal, the title above, and below it what the runs are.
open = 'set terminal '.(is_png ? 'pngcairo' : 'svg').' size width, height font plain_font noenhanced background "#ffffff" linewidth 1; \
  set output out'
same_load = 1
do for [i = 2:runs] { if (Load[i] ne Load[1] || Clients[i] ne Clients[1] || Seeds[i] ne Seeds[1]) { same_load = 0 } }
commas(n) = strlen(n) > 3 ? n[1:strlen(n) - 3].",".n[strlen(n) - 2:*] : n
many(n, what) = n eq "1" ? "1 ".what : commas(n)." ".what."s"
about(i) = (Load[i] eq "" ? "" : Load[i].": ").many(Clients[i], "client").", ".many(Seeds[i], "seed")
subtitle = runs == 1 ? Name[1]."   ".about(1) : same_load ? about(1) : ""
# The name of a run where there are several: with its workload if these differ.
label(i) = same_load || Load[i] eq "" ? Name[i] : Name[i].", ".Load[i]
heading = 'set label 1001 title_text at screen 0, screen 1 offset character 1.5, -1.3 left font bold_font textcolor rgb ink front; \
  set label 1002 subtitle at screen 0, screen 1 offset character 1.7, -2.7 left font small_font textcolor rgb faint front'
# Where there is nothing to draw: a frame and the reason. The caller plots nothing but this.
nobody = 'set label 1003 "nobody acquired the lock" at graph 0.5, graph 0.5 center textcolor rgb faint front'

set border 3 linecolor rgb "#888888" linewidth 0.8
set tics out nomirror scale 0.6, 0.3 font small_font textcolor rgb ink
set grid xtics ytics linetype 1 linecolor rgb "#e6e6e6" linewidth 0.6, linetype 1 linecolor rgb "#f2f2f2" linewidth 0.5
set grid back
set key off
set style fill solid 1.0 noborder
# The key stands in rows of its own above everything; those of several runs may need more than one.
key_chars = 0
do for [i = 1:runs] { key_chars = key_chars + strlen(label(i)) + 12 }
key_rows = runs == 1 ? 0 : int(ceil(key_chars * 7.6 / (width - 60)))
key_above = 'set key at screen 24.0 / width, screen 1 - 58.0 / height left top horizontal Left reverse samplen 3 spacing 1.1 width 1 font small_font textcolor rgb ink'

# Tics of lengths on a log axis carry their unit; so do those of shares.
lengths = '("1 µs" 0.001, "10 µs" 0.01, "0.1 ms" 0.1, "1 ms" 1, "10 ms" 10, "0.1 s" 100, "1 s" 1000, "10 s" 1e4, "100 s" 1e5, "1000 s" 1e6, "10⁴ s" 1e7, "10⁵ s" 1e8, "10⁶ s" 1e9)'
shares = '("100 %%" 1, "10 %%" 0.1, "1 %%" 0.01, "0.1 %%" 1e-3, "0.01 %%" 1e-4, "0.001 %%" 1e-5, "10⁻⁴ %%" 1e-6, "10⁻⁵ %%" 1e-7)'
floor10(x) = 10 ** floor(log10(x) + 1e-9)
ceil10(x) = 10 ** ceil(log10(x) - 1e-9)
# A linear axis of lengths is in ms, or in s where they are long.
unit_of(ms) = ms >= 20000 ? 1000.0 : 1.0
unit_name(u) = u == 1000.0 ? "s" : "ms"

# The least and the greatest of a column that are above 0, over all runs: `column_of`, `table_of`; then `least` and `most`.
extent = 'least = 1e99; most = 0; set table $none; \
  plot for [i = 1:runs] file(i, table_of) using (w = column(column_of), most = (w > most ? w : most), least = (w > 0 && w < least ? w : least), 0):(0) with table; \
  unset table; if (most <= 0) { least = 1; most = 10 }'

# One panel for each run, one above the other: `panel` pixels high, `gap` between them, `head` above all; 58 below for the axis.
head = 106; gap = 46; panel = 130
panels_height(n) = head + n * panel + (n - 1) * gap + 58
panel_top(k) = 1 - (head + (k - 1) * (panel + gap)) / real(height)
panel_left = 88; panel_right = 26
place = 'set tmargin at screen panel_top(k); set bmargin at screen panel_top(k) - panel / real(height); \
  set lmargin at screen panel_left / real(width); set rmargin at screen 1 - panel_right / real(width); \
  if (k > 1) { unset label 1001; unset label 1002; unset key }; \
  if (runs > 1) { set label 1004 label(k) at graph 0, graph 1 offset 0, 0.6 left textcolor rgb ink front }; \
  if (Grants[k] == 0) { eval nobody } else { unset label 1003 }'

# Instants are in s. Where runs lasted about as long as each other they share an axis.
array Begins[runs]; array Ends[runs]
ends_most = 0; ends_least = 1e99; begins_least = 1e99
do for [i = 1:runs] {
  begins = 1e99; ends = 0
  set table $none
  plot file(i, "wait_time") using (x = column("from_ms"), begins = (x < begins ? x : begins), x = column("to_ms"), ends = (x > ends ? x : ends), 0):(0) with table
  unset table
  if (ends <= 0) { begins = 0; ends = 1000 }
  Begins[i] = begins / 1000.0; Ends[i] = ends / 1000.0
  ends_most = Ends[i] > ends_most ? Ends[i] : ends_most; ends_least = Ends[i] < ends_least ? Ends[i] : ends_least
  begins_least = Begins[i] < begins_least ? Begins[i] : begins_least
}
same_times = ends_most < 3 * ends_least
time_axis = 'set xrange [(same_times ? begins_least : Begins[k]) : (same_times ? ends_most : Ends[k])]; set format x "%.10g"; \
  if (k == runs) { set xlabel "virtual time (s)" textcolor rgb ink } else { unset xlabel }'

# Faults of run k: shaded over the whole height, darker where they overlap. A crash for ever has no end of its own, and what is very short is drawn a little wider.
shortest = 0.0015
set y2range [0:1]
fault_of(kind) = "file(k, 'faults') using (from = column('from_ms') / 1000.0, strcol('what') eq '".kind."' ? from : NaN):(0.5):(from):(to = (strcol('to_ms') eq '-' ? Ends[k] : column('to_ms') / 1000.0), \
  to < from + shortest * (Ends[k] - Begins[k]) ? from + shortest * (Ends[k] - Begins[k]) : to):(0):(1) axes x1y2 with boxxyerror fillstyle transparent solid 0.13 noborder"
faults = fault_of("crash")." fillcolor rgb crash_colour notitle, ".fault_of("pause")." fillcolor rgb pause_colour notitle, \
  NaN with boxes fillstyle transparent solid 0.13 noborder fillcolor rgb crash_colour title (Crashes > 0 ? 'a client is down' : ''), \
  NaN with boxes fillstyle transparent solid 0.13 noborder fillcolor rgb pause_colour title (Pauses > 0 ? 'a client is paused' : '')"
Crashes = 0; Pauses = 0
do for [i = 1:runs] {
  set table $none
  plot file(i, "faults") using (Crashes = Crashes + (strcol("what") eq "crash"), Pauses = Pauses + (strcol("what") eq "pause"), 0):(0) with table
  unset table
}

# A number of summary.tsv with its interval, or "-".
summary_value = 'value = "-"; set table $none; \
  plot file(i, "summary") using (strcol("metric") eq metric_of ? (value = strcol("value")) : "", 0):(0) with table; unset table'
