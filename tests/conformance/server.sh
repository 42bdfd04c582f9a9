#!/bin/bash
# server.sh - runs a program beside a real redis-server (or valkey-server) whose clock stands still, and always takes it
# down again.
# Usage: server.sh PROGRAM [ARG...]     runs: PROGRAM SOCKET CLOCK_FILE [ARG...]     ends with the program's status.
#
# The server is $SERVER, a program that starts it (servers.sh makes some), else the machine's own: the multi-call binary
# that Debian's redis-tools ships as redis-check-rdb: called redis-server it is the server. (The package redis-server
# would install and start a service.) Its wall clock is held_clock.c's: CLOCK_FILE holds it, 8 bytes, and
# begins at 1,700,000,000,000 ms.
set -u

die() { echo "server.sh: $*" >&2; exit 1; }
[ $# -ge 1 ] || die "usage: server.sh PROGRAM [ARG...]"

binary=${SERVER:-$(command -v redis-server || command -v redis-check-rdb)} ||
    die "no redis-server here: apt-get install redis-tools"
clock=$(realpath "${BUILD:-build}")/tests/conformance/held_clock.so
[ -e "$clock" ] || die "there is no $clock; make conformance builds it"

# A socket's path may have 107 bytes, so not below a deep TMPDIR.
dir=$(mktemp -d /tmp/locksim-real.XXXXXX) || exit 1
server= program=
cleanup() {
    trap - EXIT INT TERM HUP
    [ -n "$program" ] && kill "$program" 2>/dev/null
    [ -n "$server" ] && kill -KILL "$server" 2>/dev/null && wait "$server" 2>/dev/null
    rm -rf "$dir"
}
trap cleanup EXIT
trap 'cleanup; exit 130' INT TERM HUP

ln -s "$binary" "$dir/redis-server" || exit 1
printf '\0\100\36\30\44\12\6\0' > "$dir/clock"     # 1,700,000,000,000,000 microseconds, the lowest byte first
# Without the allocator's thread: it waits for instants of the wall clock, and would never sleep under one that stands
# still.
env TZ=UTC LC_ALL=C LD_PRELOAD="$clock" HELD_CLOCK="$dir/clock" \
    "$dir/redis-server" --port 0 --unixsocket "$dir/s" --save '' --appendonly no --daemonize no \
    --enable-debug-command yes --jemalloc-bg-thread no --dir "$dir" > "$dir/log" 2>&1 &
server=$!

tries=0
until redis-cli -s "$dir/s" ping > /dev/null 2>&1; do     # its socket is there before it listens
    kill -0 "$server" 2>/dev/null || { cat "$dir/log" >&2; die "the server did not start"; }
    tries=$((tries + 1))
    [ $tries -le 6000 ] || { cat "$dir/log" >&2; die "the server does not listen after 5 minutes"; }
    sleep 0.05
done
# Keys expire when they are looked at, never by themselves: DBSIZE then depends on the commands alone.
ok=$(redis-cli -s "$dir/s" debug set-active-expire 0) && [ "$ok" = OK ] || die "DEBUG SET-ACTIVE-EXPIRE 0: $ok"
time=$(redis-cli -s "$dir/s" time | tr '\n' ' ')
[ "$time" = "1700000000 0 " ] || die "the clock does not stand still: TIME says $time"

# In the background and waited for, so that a signal to this shell ends the program too.
"$1" "$dir/s" "$dir/clock" "${@:2}" &
program=$!
wait "$program"
status=$?
program=
if ! kill -0 "$server" 2>/dev/null; then
    tail -40 "$dir/log" >&2
    echo "server.sh: the real server crashed under this program" >&2
    [ $status -ne 0 ] || status=1
else
    redis-cli -s "$dir/s" shutdown nosave > /dev/null 2>&1
    wait "$server" 2>/dev/null
    server=
fi
exit $status
