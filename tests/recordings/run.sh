#!/bin/bash
# run.sh - the shipped scripts against recordings of the real ones (scripts.c).
# Usage: tests/recordings/run.sh [FOLDER...]     folders of script recordings; without any those beside this file
set -u
cd "$(dirname "$0")/../.." || exit 1
programs=${BUILD:-build}/tests/recordings

[ $# -gt 0 ] || set -- tests/recordings/scripts
mapfile -t scripts < <(find "$@" -name '*.jsonl' | LC_ALL=C sort)
"$programs/scripts" "${scripts[@]}"
