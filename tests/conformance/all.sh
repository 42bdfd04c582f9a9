#!/bin/bash
# all.sh - `make conformance` once for each real server that Debian's suites have (servers.sh). Its last line sums up:
# `N passed, N failed`.
# Usage: all.sh [SUITE...]       $N and $SEED as for tests/run.sh
# A suite that cannot be fetched is said, and the others are compared all the same; nothing compared at all is a
# failure.
set -u
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0
list=$(tests/conformance/servers.sh "$@") || echo "conformance-all: not every suite could be fetched"
while read -r folder version; do
    [ -n "$folder" ] || continue
    echo "== $(basename "$folder"): $version"
    log=${BUILD:-build}/log/conformance-all.$(basename "$folder")
    mkdir -p "$(dirname "$log")"
    SERVER=$folder/server tests/run.sh conformance < /dev/null | tee "$log"
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
    line=${line:-0 passed, 1 failed}
    passed=$((passed + $(echo "$line" | cut -d' ' -f1))) failed=$((failed + $(echo "$line" | cut -d' ' -f3)))
done <<< "$list"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
