#!/bin/bash
# known_bugs.sh - client bugs that releases of lock libraries have had, made in the shipped drivers by one change each:
# the lock's own seeds must notice every one. The last line is `N passed, N failed`. Usage: tests/known_bugs.sh
# ($LOCKSIM is the program)
set -u
cd "$(dirname "$0")/.." || exit 1
LOCKSIM=${LOCKSIM:-$PWD/${BUILD:-build}/locksim}
work=$(mktemp -d "${TMPDIR:-/tmp}/locksim-known-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# Usage: bug NAME FILE SED-PROGRAM SCENARIO PROPERTY
bug() {
    local name=$1 file=$2 change=$3 scenario=$4 property=$5 said=$work/said status
    rm -rf "$work/scripts"
    mkdir -p "$work/scripts/$(dirname "$file")"
    sed "$change" "scripts/$file" > "$work/scripts/$file"
    "$LOCKSIM" run "scenarios/seeds/$scenario" -j1 -o "$work/out" > "$said" 2>&1 < /dev/null
    status=$?
    if [ $status -ne 0 ]; then
        echo "known_bugs: $name: $scenario does not pass without the bug"
    elif cmp -s "scripts/$file" "$work/scripts/$file"; then
        echo "known_bugs: $name: $file has moved, and nothing was changed"
    elif "$LOCKSIM" run "scenarios/seeds/$scenario" --scripts "$work/scripts" -j1 -o "$work/out" > "$said" 2>&1 \
        < /dev/null; then
        echo "known_bugs: $name: nobody noticed"
    elif ! grep -q "$property" "$said"; then
        echo "known_bugs: $name: noticed, but not by $property:"
        tail -20 "$said"
    else
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
}

# The watchdog counted for the lock and not for each thread: the first thread's release ended what kept the other's hold
# alive.
bug "one thread's release stops the watchdog of all" redisson/renewal.lua \
    's/^  entry\.counts\[owner\] = nil$/  entry.counts = {}/' redisson_lock_threads.lua:alone_and_late \
        strict_mutual_exclusion
# Renewed in the name of the first owner, also when it is gone: the script finds no such owner, and the hold is dropped.
bug "renewed in the name of one who has gone" redisson/renewal.lua \
    's/^  entry\.owners = others$//' redisson_lock_threads.lua:alone_and_late strict_mutual_exclusion
# A permit only where a thread is parked: one that was refused just before the message and parks just after it, sleeps beside
# a free lock.
bug "a message counts only if a thread is parked" pubsub.lua \
    's/^  entry\.latch:release(1)$/  if entry.latch:waiting() > 0 then entry.latch:release(1) end/' \
        ../meetings/any_work.lua:redisson_lock prompt
# The first waiter to leave ends the subscription of all.
bug "the first to leave unsubscribes all" pubsub.lua \
    's/^  if entry\.acquired == 0 then$/  if entry.acquired >= 0 then/' redisson_lock_threads.lua:another_process prompt
# A release wakes one waiter, though it lets all of them in.
bug "a writer's release wakes one reader of many" redisson/read_write_message.lua \
    's/release(entry\.latch:waiting())/release(1)/' redisson_read_write_threads.lua 'prompt\|bounded_wait'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
