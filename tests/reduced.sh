#!/bin/bash
# reduced.sh - steps that commute are taken in one order, and no verdict depends on it: every shipped scenario is searched
# with and without --reduction. Where both searches end, verdict, the outcome of each property and every story must be
# the same, word for word; where only one ends, what the other found broken must be broken.
# Usage: tests/reduced.sh [STATES_MAX [WORD [EVERY]]]      (1,000; WORD: only scenarios with it in their name; EVERY: each
#        so many-th of them)
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=${LOCKSIM:-build/locksim}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Runs the scenarios that stdin names. Usage: search NAME OPTION...; the result, a fact a line, is in NAME: the scenario,
# the fact, its value.
search() {
    local name=$1
    shift
    xargs -r -n 200 "$locksim" run --format json -o "$dir/out.$name" "$@" > "$dir/$name.json" 2> "$dir/$name.err"
    sed -n 's/^ *"\(scenario\|verdict\|states\|complete\|name\|outcome\|text\|schedule\)": "\{0,1\}\(.*[^",]\)"\{0,1\},\{0,1\}$/\1\t\2/p
            s/^ *"steps that commute were taken in one order.*$/reduced\t1/p' "$dir/$name.json" |
        awk -F'\t' -v OFS='\t' '
        $1 == "scenario" { file = $2; stories = 0; next }
        $1 == "name" { property = $2; next }
        $1 == "outcome" { $1 = "outcome of " property }
        $1 == "text" || $1 == "schedule" { $1 = $1 " " ++stories }
        { print file, $1, $2 }' > "$dir/$name"
}

states_max=${1:-1000}
"$locksim" list scenarios scenarios | awk -v word="${2:-}" 'index($1, word) { print $1 }' |
    LC_ALL=C sort | awk -v every="${3:-1}" 'NR % every == 0' > "$dir/all"
search plain --max-states "$states_max" < "$dir/all"
search reduced --reduction --max-states "$states_max" < "$dir/all"

awk -F'\t' '
    FNR == 1 { run++ }
    { fact[run, $1, $2] = $3 }
    !(($1, $2) in known) { known[$1, $2]; names[$1] = names[$1] SUBSEP $2 }
    END {
        for (f in names) {
            a = fact[1, f, "complete"] == "true"
            b = fact[2, f, "complete"] == "true"
            n = split(names[f], list, SUBSEP)
            bad = 0
            if (n < 8) { print "FAIL " f ": " n " facts"; bad = 1 }
            for (i = 2; i <= n; i++) {
                k = list[i]
                x = fact[1, f, k]
                y = fact[2, f, k]
                if (k == "states" || k == "reduced" || k == "complete" || x "" == y "")
                    continue
                outcome = k ~ /^outcome/
                if ((a && b) || (outcome && ((a && y == "violated") || (b && x == "violated")))) {
                    bad = 1
                    print "FAIL " f ": " k " is \"" x "\", with --reduction \"" y "\""
                }
            }
            if (bad) failed++; else passed++
            whole += a && b
            if (a && b && fact[2, f, "reduced"]) {
                reduced++
                from += fact[1, f, "states"]
                to += fact[2, f, "states"]
            }
        }
        print whole + 0 " of them were searched whole both times"
        print reduced + 0 " were reduced, from " from + 0 " to " to + 0 " states"
        print passed + 0 " passed, " failed + 0 " failed"
        exit failed > 0 || passed == 0 || reduced == 0
    }' "$dir/plain" "$dir/reduced"
