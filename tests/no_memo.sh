#!/bin/bash
# no_memo.sh - the tables against the worlds they stand for, on what is shipped: every scenario whose graph is small is
# searched by tables and again with every step run anew (--no-memo). Both must find the same states, transitions, depth,
# verdict and outcomes. Both count each client for itself.
# Usage: tests/no_memo.sh [STATES_MAX]       (without tables a state takes about 5 ms; the test grows with the bound)
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=${LOCKSIM:-build/locksim}
states_max=${1:-40}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Runs the scenarios that stdin names. Usage: search NAME OPTION...; the result, a fact a line, is in NAME.
search() {
    local name=$1
    shift
    xargs -r "$locksim" run --jobs 2 --format json -o "$dir/out" "$@" > "$dir/$name.json" 2> "$dir/$name.err"
    sed -n 's/^ *"\(scenario\|verdict\|strategy\|states\|transitions\|back_to_the_same_state\|longest\|complete\|name\|outcome\)": "\{0,1\}\([^",]*\)"\{0,1\},\{0,1\}$/\1\t\2/p' \
        "$dir/$name.json" | awk -F'\t' -v OFS='\t' '
        $1 == "scenario" { file = $2; next }
        $1 == "name" { property = $2; next }
        $1 == "outcome" { $1 = property }
        { print file, $1, $2 }' > "$dir/$name"
}

"$locksim" list scenarios scenarios | awk '{ print $1 }' | LC_ALL=C sort > "$dir/all"
if [ "$states_max" -le 1000 ]; then                # those are known to be larger
    tests/large.sh | LC_ALL=C sort | LC_ALL=C comm -23 "$dir/all" - > "$dir/rest" && mv "$dir/rest" "$dir/all"
fi
# A search that would meet more states than the bound ends early and is not complete: its scenario is left out.
search tables --no-symmetry --max-states "$states_max" < "$dir/all"
awk -F'\t' '$2 == "strategy" { how = $3 } $2 == "complete" && $3 == "true" && how == "exhaustive" { print $1 }' \
    "$dir/tables" > "$dir/small"
search anew --no-memo < "$dir/small"

passed=0 failed=0
while read -r file; do
    # One line per fact that differs or is missing. Ten facts at the least: what says nothing agrees with everything.
    awk -F'\t' -v f="$file" '
        $1 != f { next }
        FILENAME ~ /tables$/ { tables[$2] = $3; all[$2]; next }
        { anew[$2] = $3; all[$2]; facts++ }
        END {
            for (fact in all)
                if (!(fact in tables) || !(fact in anew) || tables[fact] "" != anew[fact] "")
                    print "FAIL " f ": " fact " is \"" tables[fact] "\" by tables and \"" anew[fact] "\" with --no-memo"
            if (facts < 10)
                print "FAIL " f ": " facts + 0 " facts from --no-memo"
        }' "$dir/tables" "$dir/anew" | LC_ALL=C sort > "$dir/differs"
    if [ -s "$dir/differs" ]; then
        failed=$((failed + 1))
        cat "$dir/differs"
    else
        passed=$((passed + 1))
    fi
done < "$dir/small"
[ $failed -eq 0 ] || head -20 "$dir/anew.err"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
