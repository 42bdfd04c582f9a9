# cdf.gp - which share of all waits was over after how long; several runs in one picture.
# By hand: gnuplot -e "data='DIR DIR'; out='cdf.svg'" reports/cdf.gp
load ARG0[1:strlen(ARG0) - strlen("cdf.gp")]."style.gp"

table_of = "waits"; column_of = "wait_ms"; share_of = "cdf"
title_text = "How long they waited"
x_title = "wait, from the demand to the grant"
y_title = "waits that were over by then"
load ARG0[1:strlen(ARG0) - strlen("cdf.gp")]."shares.gp"
