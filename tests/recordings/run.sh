#!/bin/bash
# run.sh - the shipped scripts against recordings of the real ones (scripts.c), and the drivers against traces of the
# real client (clients.c). Usage: tests/recordings/run.sh [FOLDER...]     folders of recordings (*.jsonl) and traces
# (*.json); without any those beside this file, the museum's scripts of older releases (patched.sh), files that are none
# (malformed.sh), drivers with two things in the other order (own_order.sh), calls that no trace has (looks.sh), and an argument
# that is the library's own (refusal.sh)
set -u
cd "$(dirname "$0")/../.." || exit 1
programs=${BUILD:-build}/tests/recordings

given=$#
[ $# -gt 0 ] || set -- tests/recordings/scripts tests/recordings/clients
mapfile -t scripts < <(find "$@" -name '*.jsonl' | LC_ALL=C sort)
mapfile -t traces < <(find "$@" -name '*.json' | LC_ALL=C sort)
passed=0 failed=0
# Shows what a program says, and adds up its last line. Usage: part PROGRAM ARG...
part() {
    local out
    out=$("$@") || true
    echo "$out" | grep -vE '^[0-9]+ passed, [0-9]+ failed$'
    read -r p _ f _ <<< "$(echo "$out" | grep -E '^[0-9]+ passed, [0-9]+ failed$' | tail -n 1)"
    passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
}
[ ${#scripts[@]} -eq 0 ] || part "$programs/scripts" "${scripts[@]}"
[ ${#traces[@]} -eq 0 ] || part "$programs/clients" --meant tests/recordings/meant.tsv "${traces[@]}"
if [ "$given" -eq 0 ]; then
    part tests/recordings/patched.sh
    part tests/recordings/malformed.sh
    part tests/recordings/own_order.sh
    part tests/recordings/looks.sh
    part tests/recordings/refusal.sh
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
