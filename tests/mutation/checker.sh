#!/bin/bash
# checker.sh - mistakes in the checker itself: would the tests notice them? Draws mutants of model/, the search and the parts of the world
# (checker.lua says which), builds each and runs a quick selection of tests until one fails. What survives is run once more under the
# sanitizers. A survivor is explained in checker.tsv (`file<TAB>kind<TAB>the line as it becomes<TAB>why nobody can tell`), or this fails.
# Usage: tests/mutation/checker.sh [COUNT [SEED]]        300 mutants by default, about half a minute each on two cores
set -u
cd "$(dirname "$0")/../.." || exit 1
count=${1:-300} seed=${2:-1}
work=$PWD/${BUILD:-build}/mutation-checker
explained=$PWD/tests/mutation/checker.tsv
tests="test_model_thaw test_model_states test_model_rules test_model_exclusion test_model_leases test_model_waiting test_model_grouped
       test_model_permits test_model_spec test_model_freeze test_model_random test_world test_world_trials test_world_walks test_search
       test_search_whole test_search_graph test_search_limits test_search_again test_search_growth test_search_random test_search_visited
       test_client_learned test_search_memo"
unset MAKEFLAGS MAKELEVEL
mkdir -p "$work/tree" || exit 1
git ls-files -z | tar --null -T - -cf - | tar -xf - -C "$work/tree" || exit 1
cd "$work/tree" || exit 1
export LOCKSIM=$PWD/build/locksim MEMO_WORLDS=${MEMO_WORLDS:-60}
memory_kib=$((6 << 20))

programs() { for t in $tests; do [ -e "tests/unit/$t.c" ] && echo "build/tests/unit/$t"; done; }
compile() { make -s WARN=-w build/locksim $(programs) "$@" > "$work/compiled" 2>&1; }
sanitized() { make -s WARN=-w BUILD=build/asan CC=clang CFLAGS='-O1 -fsanitize=address,undefined -fno-sanitize-recover=all' \
    $(programs | sed 's|^build/|build/asan/|') > "$work/compiled" 2>&1; }

# The first test that fails says its name; none: status 1. Usage: killer [BUILD]
killer() {
    local build=${1:-build} t
    for t in $(programs); do
        t=$build/${t#build/}
        ([ "$build" != build ] || ulimit -v "$memory_kib"; timeout 120 "$t") > "$work/said" 2>&1 < /dev/null || { basename "$t"; return 0; }
    done
    [ "$build" = build ] || return 1
    [ ! -e tests/soundness.sh ] || timeout 120 tests/soundness.sh > "$work/said" 2>&1 < /dev/null || { echo soundness; return 0; }
    timeout 120 "$LOCKSIM" run scenarios/seeds -o "$work/out" > "$work/said" 2>&1 < /dev/null || { echo seeds; return 0; }
    return 1
}

compile || { cat "$work/compiled"; exit 1; }
first=$(killer) && { echo "checker: $first fails without any mistake:"; tail -20 "$work/said"; exit 1; }
lua5.1 tests/mutation/checker.lua list "$seed" "$count" model/*.c sim/search/*.c sim/world/part*.c sim/world/time*.c sim/world/enabled.c \
    > "$work/drawn" || exit 1

killed=0 refused=0 known=0 survived=0
while IFS=$'\t' read -r place kind changed; do
    IFS=: read -r file line col <<< "$place"
    cp -p "$file" "$work/original"
    lua5.1 tests/mutation/checker.lua make "$work/tree/$file" "$line" "$col" "$kind" > "$work/changed" && cat "$work/changed" > "$file"
    if ! compile; then
        refused=$((refused + 1)) verdict="does not compile"
    elif by=$(killer); then
        killed=$((killed + 1)) verdict="killed by $by"
    elif sanitized && by=$(killer build/asan); then
        killed=$((killed + 1)) verdict="killed by $by under the sanitizers"
    elif grep -qF -- "$file	$kind	$(echo "$changed" | sed 's/^ *//')	" "$explained"; then
        known=$((known + 1)) verdict="survived, explained"
    else
        survived=$((survived + 1)) verdict="SURVIVED"
    fi
    printf '%-28s %s:%s:%s %s  %s\n' "$verdict" "$file" "$line" "$col" "$kind" "$(echo "$changed" | sed 's/^ *//')"
    cp -p "$work/original" "$file" && touch "$file"
done < "$work/drawn"
echo "$((killed + refused + known + survived)) mutants: $killed killed, $refused do not compile, $known explained, $survived survived"
[ "$survived" -eq 0 ] && [ "$killed" -gt 0 ]
