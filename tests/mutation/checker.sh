#!/bin/bash
# checker.sh - mistakes in the checker itself: would the tests notice them? Draws mutants of model/, the search and the parts of the world
# (checker.lua says which), and runs a quick selection of tests on each until one fails: likely killers first, then by their length. A
# survivor is explained in checker.tsv (`file<TAB>kind<TAB>function<TAB>the line as it becomes<TAB>why nobody can tell`), or this fails.
# All of locksim lies in one shared library here, so that a mutant costs one compilation and one link.
# Usage: tests/mutation/checker.sh [COUNT [SEED]]
#   FILES="model/fifo.c ..."       draws from those only
#   ONLY=REGEX                     of those that were drawn runs only those whose `file:line:col<TAB>kind<TAB>function<TAB>line` matches
#   TESTS="test_model_states ..."  runs these instead; LONG=1: tests/soundness.sh and the seeds after them
set -u
cd "$(dirname "$0")/../.." || exit 1
count=${1:-300} seed=${2:-1}
work=$PWD/${BUILD:-build}/mutation-checker
tree=$work/tree
explained=$PWD/tests/mutation/checker.tsv
drawing=$PWD/tests/mutation/checker.lua
unset MAKEFLAGS MAKELEVEL
mkdir -p "$tree" || exit 1
git ls-files -z | tar --null -T - -cf - | tar -xf - -C "$tree" || exit 1      # with their times, so that what is built already stays
cd "$tree" || exit 1
export BUILD=build LOCKSIM=$tree/build/locksim MEMO_WORLDS=${MEMO_WORLDS:-10}
memory_kib=$((6 << 20))
flags=(CC="${CC:-gcc}" WARN=-w CFLAGS='-O1 -fPIC -fno-semantic-interposition')
eval "$(make -s "${flags[@]}" mutation-flags)" || exit 1       # compile, libs, objects
libs=${libs//-Wl,-Bstatic/}        # which are no position-independent code

# Likely killers first, then by their length. Usage: killers FILE
killers() {
    local worlds="test_search_whole test_world test_world_trials test_client_freeze test_search_again test_search_counts test_search_limits \
        test_search_starts test_search_memo test_search"
    case $1 in
        model/*) echo test_model_{rules,table,exclusion,grouped,permits,spec,freeze,leases,waiting,states,thaw,random,reads} $worlds ;;
        sim/search/graph*) echo test_search_graph $worlds ;;
        sim/client/*) echo test_client_freeze $worlds test_client_learned ;;
        sim/search/*) echo test_search_coverage test_search_visited test_search_growth $worlds test_search_random ;;
        *) echo $worlds ;;
    esac
}
all=$(for f in model/x sim/client/x sim/search/x x; do killers $f; done | tr ' ' '\n' | sort -u)

# Usage: link_all [OBJECT INSTEAD]
link_all() { gcc -shared -o build/libchecked.so -Wl,-Bsymbolic ${objects/${1:-nothing}/${2:-}} $libs 2> "$work/compiled"; }
program() { echo "build/tests/unit/$1.checked"; }
link_test() {
    [ -e "tests/unit/$1.c" ] || return 0
    gcc -o "$(program "$1")" "build/tests/unit/$1.o" build/tests/libunit.a -Lbuild -lchecked -Wl,-rpath,"$tree/build" -lcmocka $libs
}

# The first test that fails says its name; none: status 1. Usage: killer FILE
killer() {
    local t
    for t in ${TESTS:-$(killers "$1")}; do
        [ -x "$(program "$t")" ] || continue
        (ulimit -v "$memory_kib" -t 60; timeout 300 "$(program "$t")") > "$work/said" 2>&1 < /dev/null || { echo "$t"; return 0; }
    done
    [ -n "${LONG:-}" ] || return 1
    timeout 300 tests/soundness.sh > "$work/said" 2>&1 < /dev/null || { echo soundness; return 0; }
    timeout 300 "$LOCKSIM" run scenarios/seeds -o "$work/out" > "$work/said" 2>&1 < /dev/null || { echo seeds; return 0; }
    return 1
}

tests=$(for t in $all; do [ ! -e "tests/unit/$t.c" ] || echo "build/tests/unit/$t.o"; done)
make -s "${flags[@]}" $objects build/sim/cli/main.o build/tests/libunit.a $tests > "$work/compiled" 2>&1 && link_all || { cat "$work/compiled"; exit 1; }
for t in $all; do link_test "$t" || exit 1; done
gcc -o build/locksim build/sim/cli/main.o -Lbuild -lchecked -Wl,-rpath,"$tree/build" $libs || exit 1
for f in model/x sim/client/x sim/search/x x; do
    first=$(killer $f) && { echo "checker: $first fails without any mistake:"; tail -20 "$work/said"; exit 1; }
done

lua5.1 "$drawing" list "$seed" "$count" ${FILES:-model/*.c sim/search/*.c sim/world/part*.c sim/world/time*.c sim/world/enabled.c \
    sim/world/network.c sim/world/connections.c sim/world/events.c sim/client/freeze.c sim/client/lua_graph*.c} > "$work/drawn" || exit 1
killed=0 refused=0 known=0 survived=0
while IFS=$'\t' read -r place kind name changed; do
    [[ "$place	$kind	$name	$changed" =~ ${ONLY:-.} ]] || continue
    IFS=: read -r file line col <<< "$place"
    object=build/${file%.c}.o
    shown=$(sed 's/^ *//' <<< "$changed")
    mkdir -p "$work/mutant"
    lua5.1 "$drawing" make "$tree/$file" "$line" "$col" "$kind" > "$work/mutant/${file##*/}" || exit 1
    if ! $compile -iquote "$(dirname "$file")" -c "$work/mutant/${file##*/}" -o "$work/mutant.o" > "$work/compiled" 2>&1; then
        refused=$((refused + 1)) verdict="does not compile"
    elif ! link_all "$object" "$work/mutant.o"; then
        cat "$work/compiled"
        exit 1
    elif by=$(killer "$file"); then
        killed=$((killed + 1)) verdict="killed by $by"
    elif grep -qF -- "$file	$kind	$name	$shown	" "$explained"; then
        known=$((known + 1)) verdict="survived, explained"
    else
        survived=$((survived + 1)) verdict="SURVIVED"
    fi
    printf '%-28s %s:%s:%s %s  %s: %s\n' "$verdict" "$file" "$line" "$col" "$kind" "$name" "$shown"
done < "$work/drawn"
echo "$((killed + refused + known + survived)) mutants: $killed killed, $refused do not compile, $known explained, $survived survived"
[ "$survived" -eq 0 ] && [ "$killed" -gt 0 ]
