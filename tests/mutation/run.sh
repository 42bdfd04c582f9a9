#!/bin/bash
# run.sh - would anybody notice a mistake? Mutants of all shipped scripts or drivers, or those of them that ARG...
# chooses (--sample N, --in-diff REV), judged in five stages, quick ones first; each takes what the one before it has
# left: they are listed; held against the recordings of the real libraries (recorded.sh); judged by seeds, museum and
# findings; judged by the matrices of faults; judged by seeds, museum and findings of five times as many states. What
# survives all is explained in explained.tsv, or makes the status 1.
# Each stage keeps what it knows below $BUILD/mutation/NAME, and goes on from there when it is begun again. Usage:
# tests/mutation/run.sh NAME scripts|drivers ARG...         STATES=600: scenarios of at most so many states judge first
set -u
name=$1 kind=$2
shift 2
build=${BUILD:-build} states=${STATES:-600}
out=$build/mutation/$name
mutate() { "${LOCKSIM:-$build/locksim}" mutate scripts --kind "$kind" "$@"; }
judges=(--scenarios scenarios/seeds --scenarios scenarios/museum --scenarios scenarios/findings)
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
# The index of all stages so far, the last that was said of each mutant: a stage leaves out whose file none of its
# scenarios loads. What a client could tell from the original in one stage is not equivalent because nobody can in the
# next.
known() {
    local -a files=()
    local at
    for at in "$@"; do
        files+=("$out/$at/index.tsv")
    done
    awk -F'\t' \
        'NR == 1 { print }
        FNR > 1 { m = $1 FS $3 FS $5 FS $6 FS $7; if (!(m in row)) order[++n] = m
                  if ($8 != "equivalent" || !told[m]) row[m] = $0
                  told[m] = $8 == "survived" && $10 ~ /a client can tell it/ }
        END { for (i = 1; i <= n; i++) print row[order[i]] }' "${files[@]}"
}

stage list mutate "$@" --list -o "$out/list"
[ "$(wc -l < "$out/list/index.tsv")" -gt 1 ] || { echo "$name: no mutants"; exit 0; }
stage recorded tests/mutation/recorded.sh "$out/list" "$out/recorded"
stage quick mutate --left "$out/recorded/index.tsv" "${judges[@]}" --max-states "$states" -o "$out/quick"
known recorded quick > "$out/known.tsv"
stage faults mutate --left "$out/known.tsv" --scenarios scenarios/faults --max-states "$states" -o "$out/faults"
known recorded quick faults > "$out/known.tsv"
mutate --left "$out/known.tsv" "${judges[@]}" --max-states $((5 * states)) --explained tests/mutation/explained.tsv \
    -o "$out/large" > "$out/large.txt"
status=$?
sed '$d' "$out/large.txt"

# An explained one is a survivor in the index, and counted by the last stage.
explained=$(tail -n 1 "$out/large.txt" | sed -n 's/.* \([0-9]*\) explained.*/\1/p')
known recorded quick faults large | awk -F'\t' -v name="$name" -v explained="${explained:-0}" '
    NR > 1 { n[$8]++; all++; recorded += $8 == "killed" && $9 ~ /^the trace |\.jsonl$|\.sh$/ }
    END {
        left = n["survived"] + n["undecided"] - explained
        judged = all - n["equivalent"] - explained
        printf "%s: %d mutants: %d killed, %d of them by recordings and tests; %d equivalent within bounds, %d explained, %d left; score %.1f %%\n", \
            name, all, n["killed"], recorded, n["equivalent"], explained, left, judged ? 100 * n["killed"] / judged : 100
        exit left > 0
    }'
left=$?
exit $((status ? status : left))
