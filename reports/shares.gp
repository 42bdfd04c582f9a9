# shares.gp - curves of shares over lengths, which cdf.gp and handoff.gp load: `column_of` and `share_of` of the table `table_of`.

# What is shorter than nearly all stands beyond a break of the axis: it would push the rest aside.
low = 1e99; least = 1e99; most = 0; zeros = 0; rows = 0
set table $none
plot for [i = 1:runs] file(i, table_of) using (w = column(column_of), rows = rows + 1, most = (w > most ? w : most), zeros = zeros + (w == 0), \
    least = (w > 0 && w < least ? w : least), \
    low = (w > 0 && w < low && column(share_of) >= 0.005 ? w : low), 0):(0) with table
unset table
if (most <= 0) { most = low = 1 }
low = floor10(low * 1.0001); high = most * 1.25
if (high < 10 * low) { high = 10 * low }
height = 418 + 17 * key_rows
eval open
eval heading
set lmargin at screen panel_left / real(width)
set rmargin at screen 1 - panel_right / real(width)
set tmargin at screen 1 - (76.0 + 17 * key_rows) / height
set bmargin at screen 58.0 / height
set xlabel x_title textcolor rgb ink
set ylabel y_title textcolor rgb ink
set yrange [0:1.02]
set ytics ("0 %%" 0, "25 %%" 0.25, "50 %%" 0.5, "75 %%" 0.75, "100 %%" 1)
eval key_above
set logscale x
eval "set xtics ".lengths
eval break_x
if (rows == 0) {
  eval nobody
  plot 1e9 notitle
} else {
  plot for [i = 1:runs] file(i, table_of) using (at(column(column_of))):(column(share_of)) with steps linetype i title runs > 1 ? label_n(i) : ""
}
