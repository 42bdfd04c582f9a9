#!/bin/bash
# run.sh - would anybody notice a mistake? Mutants of all shipped scripts or drivers, or those of them that ARG... chooses (--sample N,
# --in-diff REV), judged in four stages, quick ones first; each takes what the one before it has left: they are listed; held against the recordings of the real libraries (recorded.sh); judged by seeds, museum and
# findings; judged by the matrices of faults. What survives all is explained in explained.tsv, or makes the status 1.
# Each stage keeps what it knows below $BUILD/mutation/NAME, and goes on from there when it is begun again.
# Usage: tests/mutation/run.sh NAME scripts|drivers ARG...         STATES=600: scenarios of at most so many states judge
set -u
name=$1 kind=$2
shift 2
build=${BUILD:-build} states=${STATES:-600}
out=$build/mutation/$name
mutate() { "${LOCKSIM:-$build/locksim}" mutate scripts --kind "$kind" "$@"; }
judges=(--scenarios scenarios/seeds --scenarios scenarios/museum --scenarios scenarios/findings --max-states "$states")
mkdir -p "$out" || exit 1

# A stage that found survivors or came to a limit is no failure: the next one goes on.
stage() {
    local log=$1 status
    shift
    "$@" > "$out/$log.txt"
    status=$?
    [ $status -le 2 ] && return
    cat "$out/$log.txt"
    exit $status
}
stage list mutate "$@" --list -o "$out/list"
[ "$(wc -l < "$out/list/index.tsv")" -gt 1 ] || { echo "$name: no mutants"; exit 0; }
stage recorded tests/mutation/recorded.sh "$out/list" "$out/recorded"
stage quick mutate --left "$out/recorded/index.tsv" "${judges[@]}" -o "$out/quick"
mutate --left "$out/quick/index.tsv" --scenarios scenarios/faults --max-states "$states" --explained tests/mutation/explained.tsv \
    -o "$out/faults" > "$out/faults.txt"
status=$?
sed '$d' "$out/faults.txt"

# The last that was said of each mutant. An explained one is a survivor in the index, and counted by the last stage.
explained=$(tail -n 1 "$out/faults.txt" | sed -n 's/.* \([0-9]*\) explained.*/\1/p')
awk -F'\t' -v name="$name" -v explained="${explained:-0}" '
    FNR > 1 { class[$1 FS $3] = $8; by[$1 FS $3] = $9 }
    END {
        for (m in class) { n[class[m]]++; all++; recorded += class[m] == "killed" && by[m] ~ /^the trace |\.jsonl$/ }
        left = n["survived"] + n["undecided"] - explained
        judged = all - n["equivalent"] - explained
        printf "%s: %d mutants: %d killed, %d of them by recordings; %d equivalent within bounds, %d explained, %d left; score %.1f %%\n", \
            name, all, n["killed"], recorded, n["equivalent"], explained, left, judged ? 100 * n["killed"] / judged : 100
    }' "$out"/{recorded,quick,faults}/index.tsv
exit $status
