#!/bin/bash
# run.sh - README's tour and the first ten minutes print what they show, to the byte: in a clone, and after installing,
# from another folder.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD BUILD=${BUILD:-build}
LOCKSIM=${LOCKSIM:-$root/$BUILD/locksim}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0
unset LOCKSIM_SCRIPTS
export LC_ALL=C.UTF-8 LOCKSIM_NO_CONFIG=1
# Usage: shows NAME PAGE FOLDER [OLD NEW]
shows() {
    local last
    "${python:-/usr/bin/python3}" tests/shown/shown.py "${@:2}" > "$dir/said" 2>&1
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$dir/said" | tail -n 1)
    passed=$((passed + $(echo "${last:-0 passed, 1 failed}" | cut -d' ' -f1)))
    failed=$((failed + $(echo "${last:-0 passed, 1 failed}" | cut -d' ' -f3)))
    [[ $last == *' 0 failed' ]] || { echo "in $1:"; cat "$dir/said"; }
}
ten=reports/pages/first_ten_minutes.md

# A clone: the folders that a program in build/ finds.
mkdir -p "$dir/clone/build" "$dir/clone/sim" && cp -R scenarios scripts "$dir/clone"
cp "$LOCKSIM" "$dir/clone/build/locksim"
shows "a clone" README.md "$dir/clone"
PATH=$dir/clone/build:$PATH shows "a clone" $ten "$dir/clone/ten"

# Installed. Without make's own flags: this may run below a make whose job server is not ours.
env -u MAKEFLAGS -u MAKELEVEL make -s BUILD="$BUILD" install DESTDIR="$dir/root" PREFIX=/opt/locksim > "$dir/log" 2>&1 ||
    { cat "$dir/log"; failed=$((failed + 1)); }
mkdir -p "$dir/elsewhere" && cp -R "$dir/root/opt/locksim/share/locksim/scenarios" "$dir/elsewhere"
PATH=$dir/root/opt/locksim/bin:$PATH
shows "another folder, installed" README.md "$dir/elsewhere" build/locksim locksim
shows "another folder, installed" $ten "$dir/elsewhere/ten"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
