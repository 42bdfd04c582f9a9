#!/bin/bash
# run.sh - checks of the command line as a user meets it: statuses, messages, files. The last line is
# `N passed, N failed`.
# Usage: tests/cli/run.sh [NAME...]      names of the files beside this one; without any: all of them. What
#                                        `locksim run` does with
# bad input, and that the same seed gives the same bytes, is checked by tests/bad_input.sh and tests/same_twice.sh.
# VERBOSE=1 names each check. $LOCKSIM is the program (default build/locksim).
set -u
here=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$here/../.." && pwd)
LOCKSIM=${LOCKSIM:-$ROOT/${BUILD:-build}/locksim}
unset LOCKSIM_SCRIPTS NO_COLOR
export ROOT LOCKSIM LC_ALL=C.UTF-8 LANG=C.UTF-8
passed=0 failed=0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/locksim-cli-XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
out=$scratch/stdout err=$scratch/stderr

. "$here/lib.sh"
if [ ! -x "$LOCKSIM" ]; then
    echo "there is no program at $LOCKSIM"
    echo "0 passed, 1 failed"
    exit 1
fi
names=("$@")
if [ $# -eq 0 ]; then
    for file in "$here"/*.sh; do
        name=$(basename "$file" .sh)
        case $name in run|lib) ;; *) names+=("$name") ;; esac
    done
fi
for suite in "${names[@]}"; do
    checked_before=$((passed + failed))
    : > "$out"
    : > "$err"
    mkdir "$scratch/$suite" && cd "$scratch/$suite" || exit 1
    . "$here/$suite.sh"
    cd "$ROOT" || exit 1
    if [ $((passed + failed)) -eq "$checked_before" ]; then
        failed=$((failed + 1))
        echo "FAIL $suite: nothing was checked"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
