# plot.sh - `locksim plot`: pictures from hand-made data, the same bytes each time; data that are wrong, empty or
# hostile; no gnuplot.

# A folder of data for one run. Usage: data FOLDER SCENARIO WORKLOAD CLIENTS
data() {
    mkdir -p "$1"
    printf '# made by hand\nkey\tvalue\nscenario\tmy/%s.lua\nworkload\t%s\nclients\t%s\nseeds\t2\nseed\t1\nacquisitions\t20\n' "$2" "$3" "$4" \
        > "$1/meta.tsv"
    printf 'metric\tunit\tvalue\tlo\thi\tseeds\nwait_mean\tms\t20\t18\t22\t2\nwait_p99\tms\t90\t-\t-\t1\novertaken_mean\t-\t0.5\t0.4\t0.6\t2\njain_grants\t-\t0.9\t0.8\t1\t2\ncommands\t1/acq\t12\t11\t13\t2\n' > "$1/summary.tsv"
    {
        printf 'client\tgrants\tshare\ttimeouts\twait_mean_ms\twait_p50_ms\twait_p90_ms\twait_p99_ms\twait_max_ms\tq_min\tq1\tmedian\tq3\tq_max\tovertaken_mean\tovertaken_longest\n'
        for ((i = 1; i <= $4; i++)); do printf 'c%d\t%d\t0.1\t%d\t20\t15\t40\t90\t%d\t1\t5\t15\t30\t99\t0\t0\n' $i \
            $((i % 7 + 1)) $((i % 2)) $((i + 90)); done
    } > "$1/clients.tsv"
    printf 'wait_ms\tcdf\tccdf\tcount\n0.000\t0.1\t0.9\t1\n5.000\t0.5\t0.5\t4\n20.000\t0.9\t0.1\t4\n99.000\t1\t0\t1\n' \
        > "$1/waits.tsv"
    printf 'handoff_ms\tcdf\tccdf\tcount\n1.000\t0.5\t0.5\t4\n2.500\t1\t0\t4\n' > "$1/handoff.tsv"
    printf 'from_ms\tto_ms\tgrants\tmean_ms\tp50_ms\tp99_ms\tmax_ms\n0.000\t500.000\t5\t20\t15\t90\t95\n500.000\t1000.000\t0\t-\t-\t-\t-\n' > "$1/wait_time.tsv"
    printf 'granted_ms\twait_ms\tclient\n10.000\t5.000\tc1\n700.000\t0.000\tc2\n' > "$1/wait_samples.tsv"
    printf 'overtakes\tacquisitions\tshare\n0\t8\t0.8\n3\t2\t0.2\n' > "$1/overtakes.tsv"
    printf 'from_ms\tto_ms\tjain\tclients\n0.000\t400.000\t0.8\t2\n400.000\t800.000\t-\t0\n' > "$1/jain.tsv"
    printf 'from_ms\tto_ms\tmean\tmax\n0.000\t500.000\t1.5\t3\n500.000\t1000.000\t0\t0\n' > "$1/queue.tsv"
    printf 'client\trow\tfrom_ms\tto_ms\twhat\nc1\t0\t0.000\t5.000\twait\nc1\t0\t5.000\t30.000\thold\nc2\t1\t2.000\t833.000\twait\nc2\t1\t833.000\t900.000\thold\n' > "$1/gantt.tsv"
    printf 'from_ms\tto_ms\twhat\tclient\n100.000\t200.000\tcrash\tc1\n300.000\t300.000\tpause\tc2\n' > "$1/faults.tsv"
}
names="cdf ccdf boxes wait_time grants overtakes jain gantt queue handoff compare"
no_rows() { awk '{ print } !/^#/ { exit }' "$1" > "$1.new" && mv "$1.new" "$1"; }
pictures() { find "$1" -type f | wc -l; }

export TMPDIR=$PWD/tmp && mkdir tmp
data all/fair.busy fair busy 3
data all/plain.busy plain busy 3
data all/fair.calm fair calm 1

run plot all -o drawn
ends 0 "folders of two workloads"
check "nothing is complained of" err_is_empty
check "busy together, calm alone" test "$(pictures drawn)" = 21
for name in $names; do
    check "$name of two runs" grep -q '<title>.*fair, busy, plain, busy</title>' "drawn/busy.$name.svg"
    check "$name is whole" test "$(tail -n 1 "drawn/busy.$name.svg")" = "</svg>"
    check "$name names no version of gnuplot" test -z "$(grep GNUPLOT "drawn/busy.$name.svg")"
done
check "no part has a name of gnuplot's that the mouse would show" test -z "$(grep -l gnuplot_plot_ drawn/*.svg)"
check "a frame that stands in no group is not filled: no data, no black triangle" test -z \
    "$(grep -L '^ xmlns="http://www.w3.org/2000/svg" fill="none"$' drawn/*.svg)"
check "colours are short, and nothing says what SVG takes for granted" test -z "$(grep -lE 'rgb\(|linecap="butt"' drawn/*.svg)"
check "groups that follow each other differ" test -z "$(awk '/^<g / && ended && $0 == open { print FILENAME }
    /^<g / { open = $0 } { ended = /<\/g>$/ }' drawn/*.svg)"
check "a lone run has its folder's name" test -e drawn/fair.calm.cdf.svg
check "axes have units" grep -q '10 ms' drawn/busy.cdf.svg
check "times in which a client was down are shaded" grep -q 'a client is down' drawn/busy.queue.svg
check "its fault is a bar with its name" grep -q '<text>c1</text>' drawn/busy.queue.svg
check "its row of the Gantt chart has its name, and says it" test "$(grep -c '<text>c1</text>\|<text>down</text>' drawn/fair.calm.gantt.svg)" = 2
check "a title is bold, in the font of the rest" grep -q 'font-family="DejaVu Sans, Verdana, sans-serif" font-weight="bold"' \
    drawn/busy.cdf.svg
check "no text is in a font that no machine has" test -z "$(grep -hEo 'font-family="[^"]*"' drawn/*.svg | sort -u | grep -v '"DejaVu Sans, Verdana, sans-serif"')"
for name in boxes grants jain gantt queue wait_time; do
    check "$name shows one seed, and says so" grep -q '<text>busy: 3 clients, seed 1 of 2</text>' "drawn/busy.$name.svg"
done
for name in cdf ccdf overtakes handoff compare; do
    check "$name shows all seeds" grep -q '<text>busy: 3 clients, 2 seeds</text>' "drawn/busy.$name.svg"
done
for name in $names; do
    check "$name says how much it shows, and of which time" grep -qE 'in 0 s to [0-9.]+ s of virtual time' "drawn/busy.$name.svg"
done
check "n of the first seed" grep -q 'fair   n = 9<' drawn/busy.boxes.svg
check "n of all seeds" grep -q 'fair   n = 20<' drawn/busy.cdf.svg
check "n of hand-offs" grep -q 'fair   n = 8<' drawn/busy.handoff.svg
check "windows have a length" grep -q 'windows of 0.5 s' drawn/busy.wait_time.svg
check "those of Jain's index have another" grep -q 'windows of 0.4 s' drawn/busy.jain.svg
cp -r all wide
sed -i 's/400\.000/250.000/g' wide/plain.busy/jain.tsv
sed -i '/^wait_mean/s/18/1/' wide/plain.busy/summary.tsv
run plot wide -o drawn_wide --only jain,compare
check "windows that differ from run to run" grep -q 'windows of 0.4 s to 0.55 s' drawn_wide/busy.jain.svg
check "an interval that goes on below the scale ends in an arrow, which is explained" grep -q \
    'arrow: it goes on below the scale' drawn_wide/busy.compare.svg
check "no arrow, no explanation" test -z "$(grep 'below the scale' drawn/busy.compare.svg)"
for name in cdf ccdf wait_time; do
    check "$name: waits of 0 stand beyond a break of the log axis" grep -q '<text>//</text>' "drawn/busy.$name.svg"
done
check "... marked as what they are" grep -q '<text>0</text>' drawn/busy.ccdf.svg
check "no break where nothing lies below" test -z "$(grep '<text>//</text>' drawn/busy.handoff.svg)"
check "intervals are explained" grep -q '95 % interval of the mean over the seeds' drawn/busy.compare.svg
cp -R all/fair.busy sure && sed -i 's/\t18\t22\t/\t-\t-\t/' sure/summary.tsv
run plot sure all/plain.busy --only compare -o sure
check "and drawn" test "$(grep -o '<path' drawn/busy.compare.svg | wc -l)" -gt "$(grep -o '<path' sure/busy.compare.svg | wc -l)"

TZ=Asia/Kathmandu LC_ALL=C run plot all -o again
check "the same bytes each time, wherever" diff -r drawn again
run plot all/fair.busy all/fair.calm --only cdf,compare -o two
ends 0 "two named folders"
check "they are drawn together, and only what was asked for" test "$(find two -type f | sort | tr '\n' ' ')" = \
    "two/compared.cdf.svg two/compared.compare.svg "
check "their workloads tell them apart" grep -q 'fair, calm' two/compared.cdf.svg
run plot all/fair.busy --format png --only gantt -o png
ends 0 "PNG"
check "it is one" cmp -s <(head -c 4 png/fair.busy.gantt.png) <(printf '\211PNG')

check "a template works by hand" gnuplot -e "data='all/fair.busy \"all/plain.busy\"'; out='hand.svg'" \
    "$ROOT/reports/boxes.gp"
check "and draws" grep -q 'middle half' hand.svg

# Nobody acquired, one of two: an honest empty picture and no complaint.
data none none busy 2
for name in waits handoff wait_samples overtakes gantt; do no_rows "none/$name.tsv"; done
printf 'client\tgrants\tshare\ttimeouts\twait_mean_ms\twait_p50_ms\twait_p90_ms\twait_p99_ms\twait_max_ms\tq_min\tq1\tmedian\tq3\tq_max\tovertaken_mean\tovertaken_longest\nc1\t0\t-\t4%s\n' \
    "$(printf '\t-%.0s' 1 2 3 4 5 6 7 8 9 10 11 12)" > none/clients.tsv
printf 'metric\tunit\tvalue\tlo\thi\tseeds\nwait_mean\tms\t-\t-\t-\t0\n' > none/summary.tsv
run plot none -o empty
ends 0 "a run in which nobody acquired"
for name in cdf ccdf boxes wait_time grants overtakes jain gantt; do
    check "$name says so" grep -q 'nobody acquired the lock' "empty/none.$name.svg"
done
check "an empty hand-off says so" grep -q 'the lock was never handed' empty/none.handoff.svg
for name in clients wait_time jain queue faults summary; do no_rows "none/$name.tsv"; done
run plot none all/fair.busy -o empty
ends 0 "not even a window of time, beside one that has some"
check "no NaN is drawn" test -z "$(grep -li 'nan' empty/*.svg)"

# What names mean nothing to gnuplot, to XML and to the file system.
hostile="x_{y}^2@&<'\"\`\$(id)%s #"
data "$hostile.d" "$hostile" "w_{1}% \"#" 2
sed -i "s|^c1|#\"c_1\\\\%|; s|^c2|@{^}%d|" "$hostile.d/clients.tsv"
run plot "$hostile.d" all/fair.busy -o hostile
ends 0 "hostile names"
check "all are drawn" test "$(pictures hostile)" = 11
check "and shown as they are" grep -qF 'x_{y}^2@&amp;&lt;' hostile/compared.cdf.svg
data many many calm 3000
run plot many -o crowd
ends 0 "3,000 clients"
check "their pictures stay small" test -z "$(find crowd -size +150k)"
for i in 1 2 3 4 5 6 7 8 9; do data "nine/r$i" "r$i" busy 2; done
run plot nine -o nine_drawn
ends 0 "nine runs"
check "are compared only" test "$(ls nine_drawn)" = busy.compare.svg
run plot nine --only cdf -o nine_drawn
ends 64 "nine runs in one picture of curves"

# Bad data: named by file and line, and nothing is drawn.
bad() {
    local what=$1 status_wanted=$2 said=$3
    run plot bad -o never
    ends "$status_wanted" "$what"
    check "$what is told" err_has "$said"
    check "$what: nothing is drawn" test ! -e never
    rm -r bad && data bad bad busy 2
}
data bad bad busy 2
rm bad/jain.tsv;                                           bad "a file that is missing" 65 "bad/jain.tsv: error"
printf '# nothing\n' > bad/waits.tsv;                      bad "a file without names" 65 "bad/waits.tsv:1: error"
sed -i 's/cdf/xyz/' bad/waits.tsv;                         bad "a column that is missing" 65 "there is no column 'cdf'"
printf '7.000\t1\n' >> bad/waits.tsv;                      bad "a short line" 65 "bad/waits.tsv:6: error"
sed -i '3s/^[0-9.]*/nan/' bad/waits.tsv;                   bad "a number that is none" 65 "bad/waits.tsv:3:1: error"
sed -i '3s/0.5/1e999/' bad/waits.tsv;                      bad "a number beyond all bounds" 65 "cdf is no number"
head -c 3000 /dev/urandom > bad/gantt.tsv;                 bad "noise" 65 "bad/gantt.tsv:"
sed -i '/^scenario/d' bad/meta.tsv;                        bad "data of no scenario" 65 "there is no row 'scenario'"
mv bad/faults.tsv x; ln -s /dev/zero bad/faults.tsv;       bad "a device" 65 "bad/faults.tsv: error"
run plot nowhere
ends 64 "no such folder"
check "says where data come from" err_has "locksim simulate"
mkdir nothing
run plot nothing
ends 64 "a folder without data"
run plot all --only gant
ends 64 "an unknown picture"
check "names the nearest" err_has "did you mean gantt?"
run plot
ends 64 "no folder"
run plot all -o "$(printf '%s/x' meta.tsv)" --format gif
ends 64 "an unknown format"
touch file
run plot all -o file/x
ends 64 "a folder that cannot be made"

# Without gnuplot: said with the way out, the data stay.
cp -R all kept
locksim_path=$(readlink -f "$LOCKSIM")
(PATH=/nonexistent; exec "$locksim_path" plot all -o without > "$out" 2> "$err") && status=0 || status=$?
ends 64 "no gnuplot"
check "the command that installs it is told" err_has "apt-get install -y --no-install-recommends gnuplot-nox"
check "the data stay" diff -r all kept
check "nothing is written" test ! -e without
# A gnuplot that draws nothing, and one that Ctrl-C interrupts.
mkdir bin
printf '#!/bin/sh\nexit 0\n' > bin/gnuplot && chmod +x bin/gnuplot
(PATH=$PWD/bin:$PATH; exec "$locksim_path" plot all -o without > "$out" 2> "$err") && status=0 || status=$?
ends 70 "a gnuplot that draws nothing"
check "it is named" err_has "gnuplot failed on cdf.gp"
printf '#!/bin/sh\nkill -TERM "$PPID"\nexit 1\n' > bin/gnuplot
{ (PATH=$PWD/bin:$PATH; exec "$locksim_path" plot all -o without > "$out" 2> "$err"); status=$?; } 2> /dev/null
ends 143 "a signal while gnuplot draws"
check "nothing is written then" test ! -e without
check "no temporary folder is left" test -z "$(ls "$TMPDIR")"
unset TMPDIR

# Without -o the pictures lie beside what they show.
run plot all --only cdf
ends 0 "a folder of data"
check "pictures lie in it" test -e all/busy.cdf.svg
run plot all/fair.calm --only cdf
check "of one run, beside its folder" test -e all/fair.calm.cdf.svg
