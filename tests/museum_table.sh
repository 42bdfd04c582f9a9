#!/bin/bash
# museum_table.sh - reports/pages/museum.md with its table as a run gives it now, on stdout; status 1 if an exhibit or a
# twin does not do what it says. `make museum-table` puts it in place; tests/museum.sh compares.
# Usage: tests/museum_table.sh [LOCKSIM]
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=${1:-${LOCKSIM:-build/locksim}}
table=$(mktemp) || exit 1
trap 'rm -f "$table" "$table.err"' EXIT
status=0
"$locksim" run scenarios/museum --table --format markdown -o "$table.out" > "$table" 2> "$table.err" || status=1
rm -rf "$table.out"
[ $status -eq 0 ] || cat "$table.err" >&2
awk -v table="$table" '
    /^<!-- \/museum -->$/ { inside = 0 }
    !inside { print }
    /^<!-- museum/ { inside = 1; while ((getline line < table) > 0) print line }' reports/pages/museum.md
exit $status
