#!/bin/bash
# own_order.sh - a driver whose thread does two things of one millisecond in the other order meets its traces no longer,
# though each row is there. The last line is `N passed, N failed`. Usage: tests/recordings/own_order.sh     (from the
# root; $BUILD/tests/recordings is built)
set -u
programs=${BUILD:-build}/tests/recordings
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# The driver that the sed program makes of FILE is told by the traces, in these words. Usage: swapped WORDS TRACES FILE
# SED-PROGRAM
swapped() {
    local words=$1 file=$3 tree=$work/$((passed + failed)) out
    local -a traces=(tests/recordings/clients/$2)
    mkdir -p "$tree/$(dirname "$file")"
    sed "$4" "scripts/$file" > "$tree/$file"
    out=$("$programs/clients" --scripts "$tree" --meant tests/recordings/meant.tsv "${traces[@]}")
    if [[ $out == *"own order of thread "*"$words"* ]] && ! grep -qE '^    (real|here) ' <<< "$out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "own_order: scripts/$file with '$4' should be told as '$words': $out"
    fi
}

# It asks again before it subscribes, and not after.
swapped "C2 SUBSCRIBE [redisson_sc:{S}] | before it: C2 redisson/semaphore/acquire.lua" \
    'redisson-*/semaphore_02_*.json' redisson/semaphore.lua \
    's/^  local entry, unsubscribed = join(/  local early = { attempt(self, permits) }\n&/
     s/^    got, problem = attempt(self, permits)$/    if early then got, problem, early = early[1], early[2], nil else\n&\n    end/'
# It takes the last lock of the group first.
swapped "C1 redisson/lock/acquire.lua [A]" 'redisson-*/multi_01_*.json' redisson/multi.lua \
    's/try_one(locks\[i\]/try_one(locks[#locks + 1 - i]/; s/= locks\[i - 1\]/= locks[#locks + 2 - i]/'
# It asks for the lock before the process listens.
swapped "C1 SUBSCRIBE [@simple-redis-mutex:locks-releases] | before it: C1 SET" \
    'simple-redis-mutex-*/01_*.json' simple_redis_mutex/lock.lua \
    '/^  listen(me)$/d; /lease = lease_ms })$/s/$/\n  listen(me)/'
# It counts before it asks for the lock.
swapped "C1 SET" 'simple-redis-mutex-*/01_*.json' simple_redis_mutex/lock.lua \
    's/^  local asked_ms = me:now()$/&\n  local fence = me:call("INCR", counter, { op = "number", lock = name })/
     /^  local fence$/d; /^  fence, problem = me:call/d'
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
