#!/bin/bash
# run.sh - the pages that `locksim report` writes, in headless Chromium. The last line is `N passed, N failed`; where
# node or Chromium is missing it says that nothing was tested, and ends with 0.
# Usage: tests/pages/run.sh      $LOCKSIM is the program (default build/locksim); screenshots go to $PICTURES if it is
#                                set.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
LOCKSIM=${LOCKSIM:-$PWD/${BUILD:-build}/locksim}
for program in node chromium; do
    if ! command -v $program > /dev/null; then
        echo "pages: skipped, $program is missing"
        exit 0
    fi
done
folder=$(mktemp -d "${TMPDIR:-/tmp}/locksim-pages-XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
[ -z "${PICTURES:-}" ] || mkdir -p "$PICTURES"

# One page of what people see, and one of a scenario that means harm.
"$LOCKSIM" report scenarios/tour scenarios/museum/G9b.lua:exhibit scenarios/museum/R24.lua:exhibit \
    scenarios/seeds/redisson_lock.lua:contended_2 tests/pages/busy.lua -o "$folder" > /dev/null 2>&1
mv "$folder/report.html" "$folder/all.html"
"$LOCKSIM" report tests/pages/hostile.lua -o "$folder" > /dev/null 2>&1
mv "$folder/report.html" "$folder/hostile.html"
# A simulation by itself, and the whole museum: more than a hundred stories.
"$LOCKSIM" simulate tests/pages/busy.lua --format html -o "$folder/data" > "$folder/simulation.html" 2> /dev/null
# What a log shows: a real one, and one that means harm.
"$LOCKSIM" trace tests/trace/redisson.log --format html -o "$folder/data" > "$folder/trace.html" 2> /dev/null
"$LOCKSIM" trace tests/pages/hostile.log --format html -o "$folder/data" > "$folder/trace_hostile.html" 2> /dev/null
"$LOCKSIM" report scenarios/museum -o "$folder/museum" > /dev/null 2>&1
timeout -k 5 1800 node "$here/check.mjs" chromium "$folder" ${PICTURES:+"$PICTURES"}
