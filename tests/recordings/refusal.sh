#!/bin/bash
# refusal.sh - the text by which a non-reentrant lock's script refuses its owner is an argument of the library's own:
# drivers send the one that every recorded call has. The last line is `N passed, N failed`.
set -u
cd "$(dirname "$0")/../.." || exit 1
text=$(sed -n 's/^M\.refusal = "\([^"]*\)".*/\1/p' scripts/redisson/non_reentrant.lua)
passed=0 failed=0
for recording in tests/recordings/scripts/redisson-4.7.0/*non_reentrant.*.jsonl; do
    others=$(tail -n +2 "$recording" | grep -vc "\"argv\":\[[^]]*,\"$text\"\]")
    if [ -n "$text" ] && [ "$others" -eq 0 ]; then
        passed=$((passed + 1))
    else
        echo "refusal: the drivers send '$text', and $others cases of $recording another text"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -eq 3 ]
