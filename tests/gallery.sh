#!/bin/bash
# gallery.sh - what waiting for each shipped lock is like, measured: simulates scenarios/fairness, draws
# reports/gallery, and writes the tables there and in reports/pages/fairness.md. `make gallery` runs it, for some
# minutes; tests/fairness.sh looks whether a part of it is still so.
# Usage: tests/gallery.sh FOLDER            FOLDER takes the data of the simulations
#        tests/gallery.sh --rows FOLDER WORKLOAD     only the rows of that workload's table, of the data that are in
#                                                    FOLDER
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=${LOCKSIM:-build/locksim}
gallery=reports/gallery

# A number of summary.tsv, with three digits; - where it is not known. Usage: number FOLDER METRIC
number() {
    awk -F'\t' -v metric="$2" '
        function shown(v,   d) { d = v >= 100 || v == int(v) ? 0 : v >= 10 ? 1 : v >= 0.1 ? 2 : 3
            v = sprintf("%.*f", d, v); while (d == 0 && match(v, /[0-9][0-9][0-9][0-9](,|$)/)) v = substr(v, 1, RSTART) "," substr(v, RSTART + 1)
            return v }
        $1 == metric { printf "%s", $3 == "-" ? "-" : shown($3); found = 1 }
        END { if (!found) printf "-" }' "$1/summary.tsv"
}

metrics="wait_mean wait_p50 wait_p99 wait_max overtaken_mean overtaken_max jain_short handoff_mean throughput commands scripts messages idle_polls"
rows() {
    local run name metric
    for run in "$1"/*."$2"; do
        name=$(basename "$run" ".$2")
        printf '| %s |' "$name"
        for metric in $metrics; do printf ' %s |' "$(number "$run" "$metric")"; done
        printf '\n'
    done
}

if [ "${1:-}" = --rows ]; then
    rows "$2" "$3"
    exit
fi
data=${1:?a folder for the data}
workloads="low saturated bursty crashes"

rm -rf "$data"
"$locksim" simulate scenarios/fairness -o "$data" > "$data.txt" || { tail -5 "$data.txt"; exit 1; }
mkdir -p "$gallery"
rm -f "$gallery"/*.svg
for workload in $workloads; do
    "$locksim" plot "$data"/*."$workload" --only compare -o "$data.plots" > /dev/null || exit 1
    mv "$data.plots/$workload.compare.svg" "$gallery/" || exit 1
done
"$locksim" plot "$data"/{redisson_fair,redisson_lock,redisson_spin,redis_py,basic_blocking}.saturated --only cdf,ccdf \
    -o "$gallery" > /dev/null || exit 1
"$locksim" plot "$data"/{redisson_fair,redisson_lock}.saturated --only \
    boxes,wait_time,grants,overtakes,jain,gantt,queue,handoff -o "$gallery" > /dev/null || exit 1
"$locksim" plot "$data"/{redisson_fair,redisson_lock}.crashes --only queue,wait_time -o "$gallery" > /dev/null || exit 1

# A table between two lines of the page of fairness. Usage: put NAME < TABLE
put() {
    cat > "$data.part"
    awk -v name="$1" -v part="$data.part" '
        $0 == "<!-- /" name " -->" { inside = 0; closed++ }
        !inside { print }
        index($0, "<!-- " name ":") == 1 { inside = 1; opened++; while ((getline line < part) > 0) print line }
        END { exit !(opened == 1 && closed == 1) }' reports/pages/fairness.md > "$data.page" || { echo "gallery: reports/pages/fairness.md has no place for $1" >&2; exit 1; }
    cat "$data.page" > reports/pages/fairness.md
}

# ---- the big table, in a file beside the pictures ----

{
    cat <<'TEXT'
# What waiting for each lock is like

Written by `make gallery`: `locksim simulate scenarios/fairness`, twenty clients under four loads (`scenarios/fairness/workloads.lua` says which), ten
seeds each. `locksim simulate --help` defines every number; each is the mean over the seeds. Waits and hand-offs are in milliseconds; commands, scripts,
messages and idle polls (a waiter's questions that changed nothing) are for each acquisition; a dash: nothing of the kind happened.

An acquisition of the multi-lock or of RedLock is one of all that they are made of. Of the read-write lock three of four clients read, together. The
latch is no lock, and is not here. [The page of locks](../pages/locks.md) says which release of which library each stands for (Redisson is 4.7.0), and
what holds it to that.
TEXT
    for workload in $workloads; do
        printf '\n## %s\n\n' "${workload^}"
        sed -n "/name = \"$workload\"/{x;p;q}; h" scenarios/fairness/workloads.lua | sed 's/^ *-- //'
        printf '\n![%s, side by side](%s.compare.svg)\n\n' "${workload^}" "$workload"
        echo '| lock | wait mean | p50 | p99 | max | overtaken by, mean | most | Jain, short term | hand-off mean | acquisitions/s | commands | scripts | messages | idle polls |'
        echo '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|'
        rows "$data" "$workload"
    done
    printf '\n## Fair against plain, closer\n'
    for picture in "$gallery"/saturated.*.svg "$gallery"/crashes.*.svg; do
        picture=$(basename "$picture")
        case $picture in *.compare.svg) ;; *) printf '\n![%s](%s)\n' \
            "$(sed -n 's|^<title>\(.*\)</title>$|\1|p' "$gallery/$picture" | head -1)" "$picture" ;; esac
    done
} > "$gallery/README.md"

# ---- document 004's table, measured ----

# What its keys are while one holds and another waits. Usage: structure NAME KEYS... -- ARGV...
structure() {
    local script=$1 keys=() argv=() n
    shift
    while [ "$1" != -- ]; do keys+=("$1"); shift; done
    shift
    argv=("$@")
    n=${#keys[@]}
    {
        echo "eval \"\$(cat $script)\" $n ${keys[*]} ${argv[*]//OWNER/A}"
        echo "eval \"\$(cat $script)\" $n ${keys[*]} ${argv[*]//OWNER/B}"
        for key in "${keys[@]}"; do echo "type $key"; done
    } | "$locksim" shell | tail -n "$n" | grep -v none | sed 's/zset/sorted set/' | paste -sd+ | sed 's/+/ + /g'
}
cell() { number "$data/$1.$2" "$3"; }
both() { printf '%s / %s' "$(cell "$1" low "$2")" "$(cell "$1" saturated "$2")"; }
line() {
    local what=$1 lock
    shift
    printf '| %s |' "$what"
    for lock in notes_reentrant_mended notes_fair redisson_lock redisson_fair; do printf ' %s |' "$("$@" $lock)"; done
    printf '\n'
}
keys_of() {
    case $1 in
        notes_reentrant_mended) structure scripts/notes/reentrant_mended/acquire.lua '{k}' -- 30000 OWNER ;;
        notes_fair) structure scripts/notes/fair/acquire.lua '{k}' '{k}:queue' '{k}:node' -- 30000 OWNER ;;
        redisson_lock) structure scripts/redisson/lock/acquire.lua '{k}' -- 30000 OWNER ;;
        redisson_fair) structure scripts/redisson/fair/acquire.lua '{k}' '{k}:queue' '{k}:deadlines' -- 30000 OWNER \
            300000 1700000000000 ;;
    esac
}
metric_of() { both "$2" "$1"; }
overtaken() { printf '%s / %s' "$(cell "$1" saturated overtaken_mean)" "$(cell "$1" saturated overtaken_max)"; }
waits() { printf '%s / %s ms' "$(cell "$1" saturated wait_mean)" "$(cell "$1" saturated wait_p99)"; }
crashes() { printf '%s' "$(cell "$1" crashes throughput)"; }
{
    echo '| | notes, reentrant (mended) | notes, fair | Redisson 4.7.0, lock | Redisson 4.7.0, fair |'
    echo '|---|---|---|---|---|'
    echo '| document 004 says: data | hash | list + hash + pub/sub | hash | list + hash + pub/sub |'
    line 'measured: keys while one holds and one waits' keys_of
    echo '| document 004 says: queueing | none, at random | FIFO queue | none, at random | FIFO queue |'
    line 'measured: overtaken by, mean / most, saturated' overtaken
    echo '| document 004 says: commands | 2 to 3 | 5 to 8 | 2 to 3 | 5 to 8 |'
    line 'measured: commands for an acquisition and its release, low / saturated' metric_of commands
    line 'scripts, low / saturated' metric_of scripts
    echo '| document 004 says: cost | fast | slower | fast | slower |'
    line 'measured: acquisitions a second, low / saturated' metric_of throughput
    line 'wait, mean / p99, saturated' waits
    echo '| document 004 says: hand-over | by time-out | the next one is told | by time-out | the next one is told |'
    line 'measured: messages for an acquisition, low / saturated' metric_of messages
    line 'hand-off from one to the next, ms, low / saturated' metric_of handoff_mean
    line 'acquisitions a second where clients crash (6 are asked for)' crashes
} | put fairness
echo "wrote $gallery/README.md, $(find $gallery -name '*.svg' | wc -l) pictures, and the table of reports/pages/fairness.md"
