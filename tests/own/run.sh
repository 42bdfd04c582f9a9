#!/bin/bash
# run.sh - `locksim init` and `locksim lint` on the scripts of public packages, taken out of them when this runs: Debian's by
# apt-get download, npm's at the versions fixed here, below $BUILD/own. Nothing of theirs is kept in this repository.
# Usage: tests/own/run.sh        (make own) Without apt-get, npm or a network it says so and ends with status 0.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
LOCKSIM=${LOCKSIM:-$PWD/$BUILD/locksim}
own=$PWD/$BUILD/own take=$PWD/tests/own/take.py
debian="php-symfony-lock php-illuminate-cache php-illuminate-redis python3-redis python3-limits python3-channels-redis ruby-sidekiq"
npm="redlock@4.2.0 redis-semaphore@5.8.0 bullmq@6.7.0 redislock@1.3.0 bottleneck@2.19.5 ioredfour@1.4.3
redlock-universal@0.8.5 @redis-kit/lock@0.1.0-3 node-redisson@1.0.4"

skip() { echo "own: skipped: $1"; exit 0; }
command -v apt-get > /dev/null || skip "there is no apt-get here"
command -v npm > /dev/null || skip "there is no npm here (apt-get install npm)"
mkdir -p "$own/deb" "$own/npm" || exit 1
if [ "$(cat "$own/fetched" 2> /dev/null)" != "$debian $npm" ]; then
    (cd "$own/deb" && timeout 100 apt-get download -q $debian > fetch.log 2>&1) || skip "Debian's packages can't be fetched"
    for file in "$own"/deb/*.deb; do dpkg-deb -x "$file" "$own/deb" || exit 1; done
    echo '{ "private": true }' > "$own/npm/package.json"
    timeout 100 npm install --prefix "$own/npm" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts $npm \
        > "$own/npm.log" 2>&1 || skip "npm's packages can't be fetched"
    echo "$debian $npm" > "$own/fetched"
fi
passed=0 failed=0
check() {
    local name=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL own: $name"; sed 's/^/  | /' "$own/out" | head -20; fi
}

# ---- the scripts ----
rm -rf "$own/lua" && mkdir -p "$own/lua" && cd "$own/lua" || exit 1
taken() { check "$2 has $3 scripts" test "$(/usr/bin/python3 "$take" "$1" "$2")" = "$3"; }
php=$own/deb/usr/share/php python=$own/deb/usr/lib/python3/dist-packages modules=$own/npm/node_modules
: > "$own/out"
taken "$php/Symfony/Component/Lock/Store/RedisStore.php" symfony 6
taken "$php/Illuminate/Cache/LuaScripts.php" illuminate_lock 1
taken "$php/Illuminate/Redis/Limiters/ConcurrencyLimiter.php" illuminate_slots 2
taken "$php/Illuminate/Redis/Limiters/DurationLimiter.php" illuminate_limiter 2
taken "$python/redis/lock.py" redis_py 3
taken "$own"/deb/usr/share/rubygems-integration/all/gems/sidekiq-*/lib/sidekiq/scheduled.rb sidekiq 1
taken "$modules/redlock/redlock.js" redlock 3
taken "$modules/redislock/lib/scripts.js" redislock 2
for part in mutex/release mutex/refresh semaphore/acquire/lua semaphore/refresh/lua multiSemaphore/acquire/lua \
    multiSemaphore/release/lua multiSemaphore/refresh/lua; do
    taken "$modules/redis-semaphore/lib/$part.js" "semaphore_$(tr / _ <<< "$part")" 1
done
taken "$python/channels_redis/core.py" channels 1
taken "$modules/ioredfour/lib/scripts.js" numbered 3
sed -i 's/${publishCommand}/PUBLISH/; s/${releaseChannel}/released/' numbered/3.lua
taken "$modules/redlock-universal/dist/index.js" universal 5
taken "$modules/@redis-kit/lock/dist/lua-scripts.js" kit 3
taken "$modules/node-redisson/dist/executor/CommandExecutor.js" counted 4
sed -i "s/#PUB_UNLOCK_REPLACE#/redis.call('publish', KEYS[2], ARGV[1]);/" counted/2.lua
mkdir bottleneck || exit 1
node -e 'const scripts = require(process.argv[1] + "/bottleneck/lib/Scripts.js")
for (const name of ["register", "free"]) require("fs").writeFileSync(`bottleneck/${name}.lua`, scripts.payload(name))' \
    "$modules" || exit 1
limits=$python/limits/resources/redis/lua_scripts bull=$modules/bullmq/dist/esm/commands

# ---- init ----
# found NAME WORDS... -- LINE...: init takes it, says these lines, and the scenario runs to a verdict.
found() {
    local name=$1 words=()
    shift
    while [ "$1" != -- ]; do words+=("$1"); shift; done
    shift
    "$LOCKSIM" init "${words[@]}" -o "$name.lua" > "$own/out" 2>&1
    check "$name: init" test $? = 0
    for line in "$@"; do check "$name: $line" grep -qF -- "$line" "$own/out" "$name.lua"; done
    timeout 300 "$LOCKSIM" run "$name.lua" --pinned > "$own/out" 2> /dev/null
    check "$name: its scenario has a verdict" test "$(($? <= 1))" = 1
}
# told NAME WORD WORDS...: init refuses, and says why by this text.
told() {
    "$LOCKSIM" init "${@:3}" -o "$1.lua" > "$own/out" 2>&1
    check "$1: refused" test $? = 65
    check "$1: $2" grep -qF -- "$2" "$own/out"
}
found symfony_write symfony/1.lua symfony/4.lua symfony/3.lua -- 'ARGV[1] unused  ARGV[2] $owner  ARGV[3] $lease_ms' \
    'if member ~= "__write__"' 'spec     = "idempotent_mutex"'
told symfony_read "the reader's side of a read-write lock" symfony/2.lua symfony/4.lua
found illuminate 'SET $lock $owner EX $lease_s NX' illuminate_lock/1.lua -- 'ARGV[1] $owner' 'granted  = "OK"'
found slots illuminate_slots/1.lua illuminate_slots/2.lua -- 'granted  = "$lock1"'
told duration "a limiter has none, and is no lock" illuminate_limiter/1.lua illuminate_lock/1.lua
told gcra "is no lock" "$limits/gcra_consume.lua" illuminate_lock/1.lua
found redispy 'SET $lock $owner NX PX $lease_ms' redis_py/1.lua redis_py/2.lua -- 'ARGV[1] $owner  ARGV[2] $lease_ms  ARGV[3] 1'
found node_redlock redlock/1.lua redlock/2.lua redlock/3.lua -- '(any number of KEYS)' 'granted 1, refused 0'
found node_redislock 'SET $lock $owner PX $lease_ms NX' redislock/1.lua redislock/2.lua -- 'ARGV[2] $lease_ms'
found mutex 'SET $lock $owner PX $lease_ms NX' semaphore_mutex_release/1.lua semaphore_mutex_refresh/1.lua -- 'ARGV[1] $owner'
found semaphore semaphore_semaphore_acquire_lua/1.lua 'ZREM $lock $token' semaphore_semaphore_refresh_lua/1.lua -- \
    'ARGV[1] $limit  ARGV[2] $token  ARGV[3] $lease_ms  ARGV[4] $now_ms' 'limit    = 1'
found many semaphore_multiSemaphore_acquire_lua/1.lua semaphore_multiSemaphore_release_lua/1.lua \
    semaphore_multiSemaphore_refresh_lua/1.lua -- 'ARGV[1] 1  ARGV[2] $token' 'owners[member:sub(1, -3)] = 1'
check "several permits: nobody is accused" grep -q 'PASS  many.lua:pause' "$own/out"
found bull 'SET $lock $owner PX $lease_ms NX' "$bull/releaseLock-1.lua" "$bull/extendLock-2.lua" -- 'ARGV[3] 0'
found channels channels/1.lua 'ZREM $lock $token' -- 'ARGV[1] $token  ARGV[2] $limit  ARGV[3] $lease_s' 'granted  = 0'
found numbered numbered/1.lua numbered/3.lua numbered/2.lua -- '3.lua  KEYS[1] $lock  ARGV[1] $reply[2]' 'granted  = { 1 }'
check "numbered: nobody is accused" grep -q 'PASS  numbered.lua' "$own/out"
found batch universal/4.lua universal/2.lua universal/1.lua -- 'ARGV[1] $owner  ARGV[2] $lease_ms  (any number of KEYS)'
found kit kit/1.lua kit/2.lua kit/3.lua -- 'ARGV[1] $owner  ARGV[2] $lease_ms  (any number of KEYS)'
found counted counted/1.lua counted/2.lua -- 'KEYS[3] {$lock}:3:$call' 'spec     = "reentrant"'
check "counted: nobody is accused" grep -q 'PASS  counted.lua' "$own/out"
found counted_kept counted/1.lua counted/2.lua counted/3.lua -- 'renew_every_ms = 500'
check "counted, renewed: nobody is accused" grep -q 'PASS  counted_kept.lua' "$own/out"
told bottleneck "error: ERR SETTINGS_KEY_NOT_FOUND" bottleneck/register.lua bottleneck/free.lua
told sidekiq "the script writes no key: it takes no lock" sidekiq/1.lua illuminate_lock/1.lua
told bull_many "the script takes MessagePack in ARGV" "$bull/extendLocks-1.lua" "$bull/releaseLock-1.lua"

# ---- lint: what it finds was looked at, and is so ----
codes() { "$LOCKSIM" lint "$@" 2>&1 | tee "$own/out" | grep -oE 'L[SC][0-9]{3}\]' | tr -d ']' | sort | uniq -c | awk '{ print $2 "x" $1 }' | tr '\n' ' '; }
lints() { check "lint $1" test "$(codes "${@:3}")" = "$2"; }
lints symfony "LS004x1 LS007x4 LS019x4 LS023x1 " symfony            # ARGV[1] is unused; ZREVRANGE; PX 1
lints illuminate "" illuminate_lock illuminate_slots
lints "illuminate's limiter" "LS010x3 LS019x1 " illuminate_limiter  # HMSET; the second script takes fields for granted
lints redis-py "LS012x1 " redis_py                                  # PTTL's reply as a condition
lints sidekiq "LS019x1 " sidekiq                                    # ZRANGEBYSCORE
lints redlock "LS018x1 " redlock                                    # pcall of DEL
lints redislock "" redislock
lints redis-semaphore "LS004x2 " semaphore_*                        # limit in the refresh scripts
lints limits "LS004x1 LS005x1 LS014x2 " "$limits"                   # KEYS, and DEL of what it replies
lints "BullMQ's locks" "" "$bull/releaseLock-1.lua" "$bull/extendLock-2.lua"
lints channels-redis "" channels
lints ioredfour "LS019x1 LS022x2 " numbered                         # HMSET; a field that may be missing ends the reply
lints redlock-universal "" universal
lints @redis-kit/lock "" kit
lints node-redisson "" counted/1.lua counted/2.lua counted/3.lua    # the fourth is a template
codes "$bull" > /dev/null
check "BullMQ: what its includes define is not missing" grep -vq LS002 <(tr '\n' ' ' < "$own/out")
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
