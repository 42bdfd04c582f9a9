#!/bin/bash
# findings.sh - no accusation without evidence: each file of scenarios/findings says against which release of which library it was checked and
# by what (recordings, traces, reading), names recordings and traces that are there, or says that no library is meant; and each has its row
# on the page of findings. The last line is `N passed, N failed`. Usage: tests/findings.sh [FOLDER [PAGE]]
set -u
cd "$(dirname "$0")/.." || exit 1
folder=${1:-scenarios/findings} page=${2:-reports/pages/findings.md}
passed=0 failed=0

fails() {
    echo "findings: $1"
    failed=$((failed + 1))
}

# The comment at the head of a file as one line.
head_of() { sed -n '/^--/!q; s/^-- *//p' "$1" | tr '\n' ' '; }

# Traces (lock_32) and scripts (fair.acquire) that a text names and nobody has.
missing_in() {
    local name
    for name in $(grep -oE '\b[a-z]+_[0-9]{2}\b' <<< "$1"); do
        compgen -G "tests/recordings/clients/*/${name}_*.json" > /dev/null || echo "$name"
    done
    for name in $(grep -oE '\b[a-z_]+\.[a-z_]+\b' <<< "$1" | grep -vE '\.(lua|js|ts)$'); do
        compgen -G "tests/recordings/scripts/*/$name.jsonl" > /dev/null || echo "$name"
    done
}

for file in "$folder"/*.lua; do
    name=$(basename "$file" .lua)
    text=$(head_of "$file")
    evidence=$(grep -oE 'Checked against [a-z][a-z_-]+ [0-9][0-9a-z.-]* by .*' <<< "$text")
    what=${evidence#* by }
    missing=$(missing_in "$evidence")
    if [ -z "$evidence" ] && [[ $text != *"No library is meant"* ]]; then
        fails "$name says neither against which release it was checked nor that no library is meant"
    elif [ -n "$evidence" ] && ! grep -qE '^(a |the )?(recordings?|traces?|reading)' <<< "$what"; then
        fails "$name does not say by what it was checked: recordings, traces or reading"
    elif [ -n "$missing" ]; then
        fails "$name names what is not there: $(tr '\n' ' ' <<< "$missing")"
    elif ! grep -q "^| \`$name\` |" "$page"; then
        fails "$name has no row on $page"
    else
        passed=$((passed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
