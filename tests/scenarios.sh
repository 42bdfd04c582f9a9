#!/bin/bash
# scenarios.sh - every shipped scenario comes to PASS: what holds holds, and what its `expect` calls violated is found
# violated. Those of scenarios/tour say nothing of what they expect and must FAIL: a tour that shows nothing is none.
# The museum has its own test, museum.sh.
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=${LOCKSIM:-build/locksim}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

"$locksim" list scenarios scenarios | awk '!/^scenarios\/museum\// { print $1 }' | LC_ALL=C sort > "$dir/all"
# What is known to be larger than the limit is not searched that far to learn it again; every 40th is, lest the list
# says what is not so.
: > "$dir/large"
[ "${STATES_MAX:-9999}" -gt 1000 ] || tests/large.sh | LC_ALL=C sort > "$dir/large"
awk 'NR % 40 == 1' "$dir/large" > "$dir/sample"
LC_ALL=C comm -23 "$dir/all" "$dir/large" | LC_ALL=C sort - "$dir/sample" > "$dir/files"
xargs -r "$locksim" run --format json ${STATES_MAX:+--max-states "$STATES_MAX"} -o "$dir/out" < "$dir/files" \
    > "$dir/json" 2> "$dir/err"
sed -n 's/^ *"scenario": *"\(.*\)",\{0,1\}$/\1/p; s/^ *"verdict": *"\(.*\)",\{0,1\}$/\1/p' "$dir/json" |
    paste - - > "$dir/verdicts"

passed=0 failed=0 left_out=0
while read -r file; do
    wanted=PASS
    case $file in scenarios/tour/*) wanted=FAIL ;; esac
    verdict=$(awk -F'\t' -v f="$file" '$1 == f { print $2 }' "$dir/verdicts")
    if grep -qxF "$file" "$dir/sample"; then
        if [ "$verdict" = INCONCLUSIVE ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAIL $file: ${verdict:-no verdict}, and tests/large.txt says that it has more than 1,000 states (make large)"
        fi
    elif [ "$verdict" = $wanted ]; then
        passed=$((passed + 1))
    elif [ "$verdict" = INCONCLUSIVE ] && [ -n "${STATES_MAX:-}" ]; then
        left_out=$((left_out + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $file: ${verdict:-no verdict} instead of $wanted"
    fi
done < "$dir/files"
LC_ALL=C comm -13 "$dir/all" "$dir/large" > "$dir/gone"
if [ -s "$dir/gone" ]; then
    failed=$((failed + 1))
    echo "FAIL tests/large.txt names what is not there (make large): $(head -3 "$dir/gone" | tr '\n' ' ')"
fi
left_out=$((left_out + $(wc -l < "$dir/large") - $(wc -l < "$dir/sample")))
[ $failed -eq 0 ] || head -40 "$dir/err"
[ $left_out -eq 0 ] || echo "$left_out left out: more than $STATES_MAX states"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
