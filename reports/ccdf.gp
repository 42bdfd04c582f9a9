# ccdf.gp - which share of all waits lasted longer than so long, on log scales: the tail that a CDF hides. Several runs in one picture.
# By hand: gnuplot -e "data='DIR DIR'; out='ccdf.svg'" reports/ccdf.gp
load ARG0[1:strlen(ARG0) - strlen("ccdf.gp")]."style.gp"

low = 1e99; least = 1e99; most = 0; zeros = 0; rare = 1; rows = 0
set table $none
plot for [i = 1:runs] file(i, "waits") using (w = column("wait_ms"), c = column("ccdf"), rows = rows + 1, most = (w > most ? w : most), zeros = zeros + (w == 0), \
    least = (w > 0 && w < least ? w : least), \
    low = (w > 0 && w < low && c <= 0.995 ? w : low), rare = (c > 0 && c < rare ? c : rare), 0):(0) with table
unset table
if (low > most) { low = most }
if (most <= 0) { most = low = 1 }
low = floor10(low * 1.0001); high = most * 1.25
if (high < 10 * low) { high = 10 * low }
title_text = "The long waits"
height = 418 + 17 * key_rows
eval open
eval heading
set lmargin at screen panel_left / real(width)
set rmargin at screen 1 - panel_right / real(width)
set tmargin at screen 1 - (76.0 + 17 * key_rows) / height
set bmargin at screen 58.0 / height
set xlabel "wait, from the demand to the grant" textcolor rgb ink
set ylabel "waits that lasted longer" textcolor rgb ink
set logscale xy
set yrange [(rare < 0.05 ? rare / 1.5 : 0.05):1.1]
eval "set xtics ".lengths
eval break_x
eval "set ytics ".shares
eval key_above
if (rows == 0) {
  eval nobody
  plot 1e9 notitle
} else {
  plot for [i = 1:runs] file(i, "waits") using (at(column("wait_ms"))):(column("ccdf") > 0 ? column("ccdf") : NaN) with steps \
      linetype i title runs > 1 ? label_n(i) : ""
}
