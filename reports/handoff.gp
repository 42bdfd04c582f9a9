# handoff.gp - how long a lock that was freed lay idle while a client waited for it; several runs in one picture.
# By hand: gnuplot -e "data='DIR DIR'; out='handoff.svg'" reports/handoff.gp
load ARG0[1:strlen(ARG0) - strlen("handoff.gp")]."style.gp"

table_of = "handoff"; column_of = "handoff_ms"; share_of = "cdf"
title_text = "How long the lock lay idle between two holders, while a client waited"
x_title = "hand-off, from the release to the next grant at the server"
n_what = "hand-offs"
n_of(i) = Handoffs[i]
y_title = "hand-offs that were over by then"
nobody = 'set label 1003 "the lock was never handed from one to the next" at graph 0.5, graph 0.5 center textcolor rgb faint front'
load ARG0[1:strlen(ARG0) - strlen("handoff.gp")]."shares.gp"
