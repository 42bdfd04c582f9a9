#!/bin/bash
# museum.sh - the museum stands: every exhibit breaks what it names, every twin holds in the same world, within 2 GiB
# each, and the table of reports/pages/museum.md says so. Numbers of the table are not compared: how long the shortest
# story is, is the search's business.
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=${LOCKSIM:-build/locksim}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $1"; }

"$locksim" run scenarios/museum --table --format markdown --max-memory 2G -o "$dir/out" > "$dir/table" 2> "$dir/err"
status=$?
if [ $status -eq 0 ]; then ok; else bad "the museum ends with status $status"; head -40 "$dir/err"; fi

# Without the numbers: exhibit, bug, library, what is wrong, faults, breaks, twin. A \| is no bar.
facts() { sed 's/\\|/\x01/g' | awk -F' [|] ' -v OFS=' | ' \
    'NF >= 10 { sub(/ \|$/, "", $10); print $1, $2, $3, $4, $5, $6, $10 }' | tr '\1' '/'; }
facts < "$dir/table" | tail -n +2 > "$dir/run"
sed -n '/^<!-- museum/,/^<!-- \/museum/p' reports/pages/museum.md | facts | tail -n +2 > "$dir/page"
while IFS= read -r row; do
    case $row in
        *" | holds" | *" | -") ;;
        *) bad "the twin: $row" && continue ;;
    esac
    if grep -qxF -- "$row" "$dir/page"; then ok; else bad "the page does not say (make museum-table): $row"; fi
done < "$dir/run"
while IFS= read -r row; do
    grep -qxF -- "$row" "$dir/run" || bad "the page says (make museum-table): $row"
done < "$dir/page"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 30 ]
