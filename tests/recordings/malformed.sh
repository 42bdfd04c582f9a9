#!/bin/bash
# malformed.sh - a recording or a trace that cannot be read as one is told by name, and never counts as passed. The last
# line is `N passed, N failed`. Usage: tests/recordings/malformed.sh     (from the root; $BUILD/tests/recordings is built)
set -u
programs=${BUILD:-build}/tests/recordings
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
traces=(tests/recordings/clients/redisson-*/lock_01_*.json)
recordings=(tests/recordings/scripts/redisson-*/lock.acquire.jsonl)
trace=${traces[0]} recording=${recordings[0]}

# The file that the sed program makes of `from` must differ from it, and be told in these words. Usage: told WORDS
# PROGRAM FROM SED-PROGRAM
told() {
    local words=$1 program=$2 from=$3 file=$work/$((passed + failed)).${3##*.} out
    sed "$4" "$from" > "$file"
    out=$("$programs/$program" "$file" 2>&1)
    if [ $? -ne 0 ] && [[ $out == *"$words"* ]] && ! cmp -s "$file" "$from"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "malformed: '$4' is not told as '$words': $out"
    fi
}

told "the step '0 stroke lock:L'" clients "$trace" 's/0 lock lock:L/0 stroke lock:L/'
told "the step '0 lock zebra:L'" clients "$trace" 's/0 lock lock:L/0 lock zebra:L/'
told "it has no program, or no log" clients "$trace" 's/"program":/"words":/'
told "a thread has no client" clients "$trace" 's/"client":"C1","steps"/"steps"/; s/"client": "C1", "steps"/"steps"/'
told "zebra/stripe.lua" clients "$trace" 's/lock\/acquire.lua/zebra\/stripe.lua/'
told "expected near end of file" clients "$trace" '3,$d'
told "there is no scripts/zebra/stripe.lua" scripts "$recording" \
    '1s/"release": *"[^"]*"/"release":"0"/; 1s/"script": *"[^"]*"/"script":"zebra\/stripe"/'
told "unknown command 'stroke'" scripts "$recording" 's/"before": *\[/"before":[["stroke","x"]/; 4,$d'
told "nothing is shipped: " scripts "$recording" '1d'
# In a command of another client, C2:2 is who it is in the program: the stranger of lock_11 holds the lock by it.
strangers=(tests/recordings/clients/redisson-*/lock_11_*.json)
told "C2:2 PUBLISH 20000] -> 1" clients "${strangers[0]}" 's/"events": *\[\]/"events":["100 command HSET L C2:2 1"]/'
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
