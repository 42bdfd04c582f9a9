#!/bin/bash
# lock_tables.sh - the tables of reports/pages/locks.md say what the scenarios of the locks expect, and each lock has a
# line. scenarios.sh proves that the scenarios do what they expect.
# Usage: tests/lock_tables.sh [--write]     --write: puts the tables into that page (`make lock-tables`)
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=${LOCKSIM:-build/locksim}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

"$locksim" list scenarios scenarios/seeds scenarios/faults |
    awk '(/^scenarios\/faults\/[a-z0-9_]*\.lua:/ && !/^scenarios\/faults\/preempt\.lua/) ||
        (/^scenarios\/seeds\// && !/^scenarios\/seeds\/(claims|answers|told\.lua|interrupted\.lua|second_time\.lua|.*_threads\.lua)/) {
        print $1 }' > "$dir/names"
# The file of a lock, or the folder. What the threads of a process share, and what callers are told or leave behind, is
# no lock of its own.
sed -E 's|^scenarios/[a-z]*/||; s|\.lua:.*||; s|/.*||' "$dir/names" | LC_ALL=C sort -u > "$dir/locks"
xargs "$locksim" run --format markdown --expected < "$dir/names" > "$dir/tables" 2> "$dir/err" || {
    head -20 "$dir/err"
    echo "FAIL lock_tables: no tables (status $?)"
    exit 1
}
awk -v tables="$dir/tables" '
    /^<!-- \/locks -->$/ { inside = 0; closed++ }
    !inside { print }
    /^<!-- locks/ { inside = 1; opened++; while ((getline line < tables) > 0) print line }
    END { exit !(opened == 1 && closed == 1) }' reports/pages/locks.md > "$dir/page" || { echo "FAIL the page has no place for the tables of locks"; exit 1; }
if [ "${1:-}" = --write ]; then
    cat "$dir/page" > reports/pages/locks.md
    exit
fi

passed=0 failed=0
if cmp -s "$dir/page" reports/pages/locks.md; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "FAIL the tables of reports/pages/locks.md are not what the scenarios expect (make lock-tables):"
    diff reports/pages/locks.md "$dir/page" | cut -c1-200 | head -20
fi
while read -r lock; do
    if [ "$(grep -c "^| $lock |" "$dir/tables")" = 2 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $lock has no line in each of the two tables"
    fi
done < "$dir/locks"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 20 ]
