#!/bin/bash
# busy.sh - busy.py with the real server: scripts that run long, CLIENT PAUSE, dumps of libraries, as clients see them.
# Usage: busy.sh          $SERVER as for server.sh. Its last line is `N passed, N failed`.
set -u
binary=${SERVER:-$(command -v redis-server || command -v redis-check-rdb)} ||
    { echo "busy.sh: no redis-server here" >&2; exit 1; }
dir=$(mktemp -d /tmp/locksim-busy.XXXXXX) || exit 1
trap 'rm -rf "$dir"' EXIT
ln -s "$binary" "$dir/redis-server" || exit 1      # called so the tool that checks files is the server
LC_ALL=C python3 "$(dirname "$0")/busy.py" "$dir/redis-server" "${LOCKSIM:-${BUILD:-build}/locksim}"
