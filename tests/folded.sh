#!/bin/bash
# folded.sh - equal clients count once, and no verdict depends on it: every shipped scenario is searched with and without
# --no-symmetry. Where both searches end, verdict, the outcome of each property and every story must be the same, word
# for word; where only one ends, what the other found broken must be broken. And the page that says which cases fold.
# Usage: tests/folded.sh [STATES_MAX [WORD]]      (1,000; WORD: only scenarios with it in their name)
#        tests/folded.sh --write [STATES_MAX]     writes reports/pages/folded.md from the three-client cases of faults
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=${LOCKSIM:-build/locksim}
page=reports/pages/folded.md
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Runs the scenarios that stdin names. Usage: search NAME OPTION...; the result, a fact a line, is in NAME: the scenario,
# the fact, its value.
search() {
    local name=$1
    shift
    xargs -r -n 200 "$locksim" run --format json -o "$dir/out.$name" "$@" > "$dir/$name.json" 2> "$dir/$name.err"
    sed -n 's/^ *"\(scenario\|verdict\|strategy\|states\|states_stand_for\|longest\|complete\|name\|outcome\|text\|schedule\)": "\{0,1\}\(.*[^",]\)"\{0,1\},\{0,1\}$/\1\t\2/p
            s/^ *"each client counts for itself: \(.*\)",\{0,1\}$/apart\t\1/p' "$dir/$name.json" |
        awk -F'\t' -v OFS='\t' '
        $1 == "scenario" { file = $2; stories = 0; next }
        $1 == "name" { property = $2; next }
        $1 == "outcome" { $1 = "outcome of " property }
        $1 == "text" || $1 == "schedule" { $1 = $1 " " ++stories }
        { print file, $1, $2 }' > "$dir/$name"
}

write_page() {
    "$locksim" list scenarios scenarios/faults | awk '$1 ~ /\.three$/ { print $1 }' | LC_ALL=C sort |
        search folded --max-states "$states_max"
    awk -F'\t' '
        $2 == "verdict" { all++; reason[$1] = "" }
        $2 == "strategy" && $3 != "exhaustive" { reason[$1] = "it is sampled, not searched" }
        $2 == "states" { states[$1] = $3 }
        $2 == "states_stand_for" { stands[$1] = $3 }
        $2 == "apart" { gsub(/\\"/, "\"", $3); reason[$1] = $3 }
        END {
            for (f in reason)
                folded += reason[f] == "" && stands[f] > states[f]
            printf "folded\t%d\t%d\n", all, folded
            for (f in reason)
                if (!(reason[f] == "" && stands[f] > states[f]))
                    printf "rest\t%s\t%s\n", reason[f] == "" ? "nothing of it was searched" : reason[f], f
        }' "$dir/folded" | LC_ALL=C sort > "$dir/table"
    awk -F'\t' '
        $1 == "folded" {
            print "# Which cases count equal clients once"
            print ""
            printf "Of the %d cases of `scenarios/faults` with three clients %d count equal clients once.\n", $2, $3
            print "The others search each client for itself:"
            next
        }
        $2 != last { printf "\n## %s\n\n", toupper(substr($2, 1, 1)) substr($2, 2); last = $2 }
        { sub(/^scenarios\/faults\//, "", $3); print "- `" $3 "`" }
        END { print ""; print "`make folded-page` writes this page, by a `locksim run` of each case of at most '"$states_max"' states." }
        ' "$dir/table" > "$page"
}

[ "${1:-}" != --write ] || { states_max=${2:-1000}; write_page; exit; }
states_max=${1:-1000}
"$locksim" list scenarios scenarios | awk -v word="${2:-}" 'index($1, word) { print $1 }' | LC_ALL=C sort > "$dir/all"
search folded --max-states "$states_max" < "$dir/all"
awk -F'\t' '$2 == "states" { met[$1] = $3 } $2 == "states_stand_for" && $3 > met[$1] { print $1 }' "$dir/folded" > "$dir/fold"
search plain --no-symmetry --max-states "$states_max" < "$dir/fold"

awk -F'\t' '
    FNR == 1 { run++ }
    run == 1 { fold[$1]; next }
    !($1 in fold) { next }
    { fact[run, $1, $2] = $3; known[$1, $2]; names[$1] = names[$1] SUBSEP $2 }
    END {
        for (f in fold) {
            a = fact[2, f, "complete"] == "true"
            b = fact[3, f, "complete"] == "true"
            n = split(names[f], list, SUBSEP)
            bad = 0
            if (n < 20) { print "FAIL " f ": " n " facts"; bad = 1 }
            for (i = 2; i <= n; i++) {
                k = list[i]
                x = fact[2, f, k]
                y = fact[3, f, k]
                if (k == "states" || k == "apart")
                    continue
                if (k == "states_stand_for" || k == "complete" || k == "longest" || k == "verdict" || k !~ /^outcome/) {
                    if (a && b && x "" != y "") { bad = 1; print "FAIL " f ": " k " is \"" x "\", with --no-symmetry \"" y "\"" }
                } else if (x "" != y "" && ((a && b) || (a && y == "violated") || (b && x == "violated"))) {
                    bad = 1
                    print "FAIL " f ": " k " is \"" x "\", with --no-symmetry \"" y "\""
                }
            }
            if (bad) failed++; else passed++
            whole += a && b
        }
        print whole + 0 " of them were searched whole both times"
        print passed + 0 " passed, " failed + 0 " failed"
        exit failed > 0 || passed == 0
    }' "$dir/fold" "$dir/folded" "$dir/plain"
