#!/bin/bash
# scenarios.sh - every shipped scenario comes to PASS: what holds holds, and what its `expect` calls violated is found violated. Those of
# scenarios/tour say nothing of what they expect and must FAIL: a tour that shows nothing is none. The museum has its own test, museum.sh.
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=${LOCKSIM:-build/locksim}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

find scenarios -path scenarios/museum -prune -o -name '*.lua' -exec grep -lE '^ *program *=' {} + | LC_ALL=C sort > "$dir/files"
xargs -r "$locksim" run --format json ${STATES_MAX:+--max-states "$STATES_MAX"} -o "$dir/out" < "$dir/files" > "$dir/json" 2> "$dir/err"
sed -n 's/^ *"scenario": *"\(.*\)",\{0,1\}$/\1/p; s/^ *"verdict": *"\(.*\)",\{0,1\}$/\1/p' "$dir/json" | paste - - > "$dir/verdicts"

passed=0 failed=0 left_out=0
while read -r file; do
    wanted=PASS
    case $file in scenarios/tour/*) wanted=FAIL ;; esac
    verdict=$(awk -F'\t' -v f="$file" '$1 == f { print $2 }' "$dir/verdicts")
    if [ "$verdict" = $wanted ]; then
        passed=$((passed + 1))
    elif [ "$verdict" = INCONCLUSIVE ] && [ -n "${STATES_MAX:-}" ]; then
        left_out=$((left_out + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $file: ${verdict:-no verdict} instead of $wanted"
    fi
done < "$dir/files"
[ $failed -eq 0 ] || head -40 "$dir/err"
[ $left_out -eq 0 ] || echo "$left_out left out: more than $STATES_MAX states"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
