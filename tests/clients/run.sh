#!/bin/bash
# run.sh - real client libraries and their scripts: fetched from npm at versions fixed here, unmodified, below
# $BUILD/clients.
# Usage: tests/clients/run.sh       (from `make clients`, which has built what it runs)
#
#   1. The Lua that the lock libraries send is taken out of them and run by locksim and by a real redis-server in
#      thousands of random states (tests/conformance/libraries.c); N is the number of calls of each library.
#   2. tests/clients/*.test.js drive `locksim serve`, and the real redis-server beside it, through the libraries; $T
#      names some of them.
#   3. drivers.sh holds the shipped drivers against the libraries, by `locksim drive`: SEEDS=200 seeds each.
# Without node or npm, or where npm's registry can't be reached, it says so and ends with status 0.
set -u
cd "$(dirname "$0")/../.." || exit 1
export BUILD=${BUILD:-build}
export CLIENTS=$PWD/$BUILD/clients LOCKSIM=${LOCKSIM:-$PWD/$BUILD/locksim}
packages="ioredis@6.0.0 ioredis5@npm:ioredis@5.11.1 redlock@4.2.0 redlock5@npm:redlock@5.0.0-beta.2 redis-semaphore@5.8.0 redis-lock@1.0.0 simple-redis-mutex@3.0.0 node-redis-warlock@1.0.2 redis@5.8.2 redis4@npm:redis@4.7.1 redis3@npm:redis@3.1.2"
calls=${N:-2000}

skip() { echo "clients: skipped: $1"; exit 0; }
command -v node > /dev/null || skip "there is no node here (apt-get install nodejs npm)"
command -v npm > /dev/null || skip "there is no npm here (apt-get install npm)"
node_major=$(node -p 'process.versions.node.split(".")[0]')
[ "$node_major" -ge 20 ] || skip "node $node_major is too old for these packages: 20 is needed"

# ---- the packages: fetched once for each list of versions ----
mkdir -p "$CLIENTS" || exit 1
if [ "$(cat "$CLIENTS/fetched" 2> /dev/null)" != "$packages" ]; then
    rm -rf "$CLIENTS/node_modules" "$CLIENTS/fetched"
    echo '{ "private": true }' > "$CLIENTS/package.json"
    # No package runs a script of its own while it is installed.
    timeout 100 npm install --prefix "$CLIENTS" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts \
        --fetch-retries=2 --fetch-retry-mintimeout=500 \
        --fetch-retry-factor=2 --fetch-timeout=20000 $packages > "$CLIENTS/npm.log" 2>&1
    status=$?
    if [ $status -ne 0 ]; then
        grep -qE 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET|network' \
            "$CLIENTS/npm.log" &&
            skip "npm's registry can't be reached"
        tail -20 "$CLIENTS/npm.log"
        echo "clients: npm install failed with status $status"
        exit 1
    fi
    echo "$packages" > "$CLIENTS/fetched"
fi

passed=0 failed=0
# Adds up `N passed, N failed`, the last line of a log; a bad end without it is a failure.
count() {
    local line
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$1" | tail -n 1)
    passed=$((passed + $(echo "${line:-0 passed, 1 failed}" | cut -d' ' -f1)))
    failed=$((failed + $(echo "${line:-0 passed, 1 failed}" | cut -d' ' -f3)))
}

# ---- 1. the scripts ----
rm -rf "$CLIENTS/scripts"
if files=$(node tests/clients/extract.js "$CLIENTS/scripts"); then
    timeout 1800 tests/conformance/server.sh "$BUILD/tests/conformance/libraries" "$calls" $files \
        > "$CLIENTS/libraries.log" 2>&1
    grep -vE '^[0-9]+ passed, ' "$CLIENTS/libraries.log"
    count "$CLIENTS/libraries.log"
else
    failed=$((failed + 1))
fi

# ---- 2. the clients ----
REDIS_SERVER=$(command -v redis-server || command -v redis-check-rdb)
export REDIS_SERVER
tests=${T:-$(basename -s .test.js tests/clients/*.test.js)}
paths=()
for name in $tests; do paths+=("tests/clients/$name.test.js"); done
# A test that its file ended before counts as failed, too.
timeout -k 10 1800 node --test --test-timeout=900000 --test-reporter=tap "${paths[@]}" > "$CLIENTS/tests.log" 2>&1
status=$?
number() { sed -n "s/^# $1 \([0-9]*\)$/\1/p" "$CLIENTS/tests.log" | tail -n 1; }
ok=$(number pass) bad=$(($(number fail) + $(number cancelled)))
if [ $status -ne 0 ] || [ "${ok:-0}" -eq 0 ]; then
    [ "$bad" -gt 0 ] || bad=1
    grep -vE '^ *(ok|# Subtest|---|\.\.\.|duration_ms|type:)' "$CLIENTS/tests.log" | head -100
fi
echo "clients: ${ok:-0} tests of $(echo $tests | tr ' ' ,)"
passed=$((passed + ${ok:-0})) failed=$((failed + bad))

# ---- 3. the drivers ----
tests/clients/drivers.sh > "$CLIENTS/drivers.log" 2>&1
grep -vE '^[0-9]+ passed, ' "$CLIENTS/drivers.log"
count "$CLIENTS/drivers.log"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
