#!/bin/bash
# run.sh - recordings made anew from packages: npm's at the versions fixed here, fetched unmodified below
# $BUILD/packages, and Debian's python3-redis as installed. They must be, byte for byte, what is committed.
# Usage: tests/recordings/packages/run.sh [--write] [LIBRARY...]      (make recordings-anew; WRITE=1 puts them beside
# this folder) Without node or npm, or where npm's registry can't be reached, it says so and ends with status 0.
set -u
cd "$(dirname "$0")/../../.." || exit 1
export BUILD=${BUILD:-build}
export PACKAGES=$PWD/$BUILD/packages LOCKSIM=${LOCKSIM:-$PWD/$BUILD/locksim}
packages="ioredis@5.11.1 redis-parser@3.0.0 redis4@npm:redis@4.7.1 redis5@npm:redis@5.9.0
    redlock@5.0.0-beta.2 redis-semaphore@5.8.0 simple-redis-mutex@3.0.0 redis-lock@1.0.0 node-redis-warlock@1.0.2"
REDIS_SERVER=$(command -v redis-server || command -v redis-check-rdb)
export REDIS_SERVER
write=
[ "${1:-}" = --write ] && write=yes && shift

skip() { echo "recordings-anew: skipped: $1"; exit 0; }
command -v node > /dev/null || skip "there is no node here (apt-get install nodejs npm)"
command -v npm > /dev/null || skip "there is no npm here (apt-get install npm)"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || skip "node 20 is needed"

mkdir -p "$PACKAGES" || exit 1
if [ "$(cat "$PACKAGES/fetched" 2> /dev/null)" != "$packages" ]; then
    rm -rf "$PACKAGES/node_modules" "$PACKAGES/fetched"
    echo '{ "private": true }' > "$PACKAGES/package.json"
    # No package runs a script of its own while it is installed; what asks for an older client gets the one that is
    # named above.
    timeout 100 npm install --prefix "$PACKAGES" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts \
        --legacy-peer-deps --fetch-retries=2 \
        --fetch-retry-mintimeout=500 --fetch-retry-factor=2 --fetch-timeout=20000 $packages > "$PACKAGES/npm.log" 2>&1
    status=$?
    if [ $status -ne 0 ]; then
        grep -qE 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET|network' \
            "$PACKAGES/npm.log" &&
            skip "npm's registry can't be reached"
        tail -20 "$PACKAGES/npm.log"
        echo "recordings-anew: npm install failed with status $status"
        exit 1
    fi
    echo "$packages" > "$PACKAGES/fetched"
fi

new=$PWD/$BUILD/recordings-anew
rm -rf "$new" && mkdir -p "$new" || exit 1
node tests/recordings/packages/record.js "$new" "$@" || exit 1
[ $# -gt 0 ] || /usr/bin/python3 tests/recordings/packages/redis_py.py "$new" || exit 1

if [ -n "$write" ]; then
    (cd "$new" && find . -mindepth 2 -maxdepth 2 -type d) | while read -r made; do rm -rf "tests/recordings/$made"; done
    cp -R "$new/." tests/recordings/
fi
passed=0 failed=0
for file in $(cd "$new" && find . -type f | LC_ALL=C sort); do
    if cmp -s "$new/$file" "tests/recordings/$file"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $file is not what the package does (make recordings-anew WRITE=1)"
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
