#!/bin/bash
# record.sh - records a log of a real redis-server's MONITOR: how the logs beside this file were made.
# Usage: tests/trace/record.sh OUT.log < COMMANDS     COMMANDS is bash; `c WORD...` sends one command by redis-cli.
# Needs Debian's redis-tools: redis-check-rdb is the server under another name.
set -u
folder=$(mktemp -d) || exit 1
trap 'kill $monitor $server 2> /dev/null; wait; rm -rf "$folder"' EXIT
ln -s /usr/bin/redis-check-rdb "$folder/redis-server"
"$folder/redis-server" --port "${PORT:-7799}" --save "" --dir "$folder" > /dev/null 2>&1 & server=$!
c() { redis-cli -p "${PORT:-7799}" "$@"; }
until c ping > /dev/null 2>&1; do sleep 0.05; done
c monitor > "$1" & monitor=$!
sleep 0.3
. /dev/stdin
sleep 0.2
