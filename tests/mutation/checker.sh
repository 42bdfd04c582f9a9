#!/bin/bash
# checker.sh - mistakes in the checker itself: would the tests notice them? Draws mutants of model/, the search and the
# parts of the world (checker.lua says which), and runs a quick selection of tests on each until one fails. A survivor
# is explained in checker.tsv (`file<TAB>kind<TAB>function<TAB>the line as it becomes<TAB>why nobody can tell`), or this
# fails. All of locksim lies in one shared library here, so that a mutant costs one compilation and one link; one that
# compiles to the same code is none. First comes the test that has killed most per second: in the same
# file, then in the same folder, then anywhere. What was found is kept below $BUILD/mutation-checker, by the mutant and
# what its file holds: begun again, this goes on where it was stopped. A survivor meets again only tests that have
# changed since. `killed` holds across changes of other files: remove $BUILD/mutation-checker/results.tsv to have all
# killed anew. Usage: tests/mutation/checker.sh [COUNT [SEED]]
#   FILES="model/fifo.c ..."       draws from those only
#   ONLY=REGEX                     of those that were drawn runs only those whose
#                                  `file:line:col<TAB>kind<TAB>function<TAB>line` matches
#   TESTS="test_model_states ..."  runs these instead, and keeps nothing
set -u
cd "$(dirname "$0")/../.." || exit 1
count=${1:-300} seed=${2:-1}
work=$PWD/${BUILD:-build}/mutation-checker
tree=$work/tree
explained=$PWD/tests/mutation/checker.tsv
drawing=$PWD/tests/mutation/checker.lua
results=$work/results.tsv          # key, verdict, file, test that killed it
seconds=$work/seconds.tsv          # test, its print, seconds without any mistake
unset MAKEFLAGS MAKELEVEL
mkdir -p "$tree" "$work/passed" "$work/mutant" && touch "$results" "$seconds" || exit 1
# What differs is copied and is new to make, what is built already stays; what is not tracked any more goes.
git ls-files | while read -r f; do
    cmp -s "$f" "$tree/$f" || { mkdir -p "$(dirname "$tree/$f")" && cp "$f" "$tree/$f"; } || exit 1
done || exit 1
git ls-files 'tests/unit/*.c' '*/*.[ch]' | sort > "$work/tracked"
(cd "$tree" && find sim model tests/unit -name '*.[ch]' | sort) | comm -13 "$work/tracked" - | sed "s,^,$tree/," |
    xargs -r rm
cd "$tree" || exit 1
export BUILD=build LOCKSIM=$tree/build/locksim MEMO_WORLDS=${MEMO_WORLDS:-10}
memory_kib=$((3 << 20))
flags=(CC="${CC:-gcc}" WARN=-w CFLAGS='-O1 -fPIC -fno-semantic-interposition')
eval "$(make -s "${flags[@]}" mutation-flags)" || exit 1       # compile, libs, objects
libs=${libs//-Wl,-Bstatic/}        # which are no position-independent code

# The quick selection: what goes through the model, the search or the world in some seconds; a few worlds with a known truth through the
# program ("glance"); and what takes longer, in a second round.
selection="$(cd tests/unit && ls test_{model,search,world,client,compare,simulate,trace,cli_kept}*.c | sed 's/\.c$//' |
    grep -vE '^test_client_(patch|signature|source|options)$') glance soundness seeds cli:run cli:verdicts cli:vacuous cli:stories cli:replay
    cli:limits"

# Usage: link_all [OBJECT INSTEAD]
link_all() { gcc -shared -o build/libchecked.so -Wl,-Bsymbolic ${objects/${1:-nothing}/${2:-}} $libs 2> "$work/compiled"; }
program() { echo "build/tests/unit/$1.checked"; }

# What a test is: when it changes, survivors meet it again.
print_of() {
    case $1 in
        soundness|glance) cat tests/soundness.sh tests/soundness/*.lua ;;
        cli:*) cat "tests/cli/${1#cli:}.sh" ;;
        seeds) find scenarios/seeds -type f | sort | xargs cat ;;
        *) cat "build/tests/unit/$1.o" build/tests/libunit.a ;;
    esac | sha1sum | cut -c 1-16
}

# Usage: run_test NAME
run_test() {
    local limit
    limit=$(awk -v t="$1" -F'\t' '$1 == t { s = $3 } END { print int(10 + 6 * s) }' "$seconds")
    case $1 in
        soundness) timeout "$((3 * limit))" tests/soundness.sh ;;
        glance) timeout "$((3 * limit))" tests/soundness.sh \
            tests/soundness/{two_servers,stranger_frees_a_lock,deadline_in_text,range_of_work,watch_multi_exec,readers_by_choice,one_resource_behind_two_locks}.lua ;;
        cli:*) timeout "$((3 * limit))" tests/cli/run.sh "${1#cli:}" ;;
        seeds) timeout "$((3 * limit))" "$LOCKSIM" run scenarios/seeds -o "$work/out" ;;
        *) (ulimit -v "$memory_kib" -t "$limit"; MALLOC_PERTURB_=90 timeout "$((4 * limit))" "$(program "$1")") ;;
    esac > "$work/said" 2>&1 < /dev/null
}

# The selection, best first. Usage: ordered FILE
ordered() {
    awk -F'\t' -v file="$1" -v most="$at_most_s" '
        function room(f) { sub("/[^/]*$", "", f); return f }
        FILENAME == ARGV[1] { s[$1] = $3; next }
        $2 == "killed" { n[$4] += $3 == file ? 10 : room($3) == room(file) ? 1 : 0.1 }
        END { for (t in s) if (s[t] + 0 <= most) printf "%.6f\t%s\n", (n[t] + 0.05) / (s[t] + 0.05), t }' "$seconds" "$results" | sort -rn -k1,1 | cut -f 2
}

# The first test that fails says its name; none: status 1. Usage: killer FILE KEY
killer() {
    local t print kept=$work/passed/$2
    for t in ${TESTS:-$(ordered "$1")}; do
        print=$(awk -v t="$t" -F'\t' '$1 == t { print $2 }' "$seconds")
        [ -n "${TESTS:-}" ] || ! grep -qsxF "$t $print" "$kept" || continue
        run_test "$t" || { echo "$t"; return 0; }
        [ -n "${TESTS:-}" ] || echo "$t $print" >> "$kept"
    done
    return 1
}

# Builds everything without any mistake.
prepare() {
    local t
    make -s "${flags[@]}" $objects build/sim/cli/main.o build/tests/libunit.a \
        $(tr ' ' '\n' <<< "$selection" | sed -n 's,^test_.*,build/tests/unit/&.o,p') > "$work/compiled" 2>&1 && link_all || { cat "$work/compiled"; return 1; }
    gcc -o build/locksim build/sim/cli/main.o -Lbuild -lchecked -Wl,-rpath,"$tree/build" $libs || return 1
    for t in $selection; do
        [ -e "build/tests/unit/$t.o" ] || continue
        [ "$(program "$t")" -nt "build/tests/unit/$t.o" ] && [ "$(program "$t")" -nt build/tests/libunit.a ] ||
            gcc -o "$(program "$t")" "build/tests/unit/$t.o" build/tests/libunit.a -Lbuild -lchecked -Wl,-rpath,"$tree/build" -lcmocka $libs || return 1
    done
}

forget() {
    awk -v t="$1" -F'\t' '$1 != t' "$seconds" > "$seconds.new"
    mv "$seconds.new" "$seconds"
}

# Sees tests pass without any mistake, those that have changed, and how long they take. Usage: see_pass TEST...
see_pass() {
    local t print began
    link_all || return 1
    for t; do
        print=$(print_of "$t")
        grep -qP "^$t\t$print\t" "$seconds" && continue
        forget "$t"
        printf '%s\t%s\t%s\n' "$t" "$print" 100 >> "$seconds"    # no limit that it would feel
        began=$(date +%s%N)
        run_test "$t" || { echo "checker: $t fails without any mistake:"; tail -20 "$work/said"; forget "$t"; return 1; }
        forget "$t"
        printf '%s\t%s\t%s\n' "$t" "$print" "$(awk -v ns=$(($(date +%s%N) - began)) 'BEGIN { printf "%.3f", ns / 1e9 }')" >> "$seconds"
    done
    for t in $(cut -f 1 "$seconds"); do                            # what is selected no more is not run
        [[ " $(tr '\n' ' ' <<< "$selection") " = *" $t "* ]] || forget "$t"
    done
}

# Usage: compiled FILE SOURCE OBJECT, where SOURCE stands in the place of FILE: assertions and `file` symbols do not show the difference
compiled() {
    { printf '#line 1 "%s"\n' "$1"; cat "$2"; } > "$work/mutant/${1##*/}"
    $compile -iquote "$(dirname "$1")" -c "$work/mutant/${1##*/}" -o "$3" > "$work/compiled" 2>&1
}

prepare || exit 1
lua5.1 "$drawing" list "$seed" "$count" ${FILES:-model/*.c sim/search/*.c sim/memo/*.c sim/world/time*.c sim/world/enabled.c \
    sim/world/network.c sim/world/connections.c sim/world/events.c sim/client/process_freeze.c sim/client/lua_graph*.c} > "$work/drawn" || exit 1

# Usage: judge FILE MUTANT KEY; sets verdict and by
judge() {
    local file=$1 kept
    by=
    kept=$([ -n "${TESTS:-}" ] || awk -F'\t' -v key="$3" '$1 == key { print $2 "\t" $4 }' "$results" | tail -1)
    if [ -n "$kept" ]; then
        IFS=$'\t' read -r verdict by <<< "$kept"
        return
    fi
    if ! compiled "$file" "$2" "$work/mutant.o"; then
        verdict=refused
    elif compiled "$file" "$tree/$file" "$work/unchanged.o" && cmp -s "$work/mutant.o" "$work/unchanged.o"; then
        verdict=same
    elif ! link_all "build/${file%.c}.o" "$work/mutant.o"; then
        cat "$work/compiled"
        exit 1
    elif by=$(killer "$file" "$3"); then
        verdict=killed
    else
        verdict=survived by=       # nothing is kept: it is asked again, by tests that it has not passed
        return
    fi
    [ -n "${TESTS:-}" ] || printf '%s\t%s\t%s\t%s\n' "$3" "$verdict" "$file" "$by" >> "$results"
}

long="soundness seeds $(tr ' ' '\n' <<< "$selection" | grep cli)"
see_pass $(comm -23 <(tr ' ' '\n' <<< "$selection" | sort) <(tr ' ' '\n' <<< "$long" | sort)) || exit 1
for at_most_s in 4 1000; do
    [ "$at_most_s" = 4 ] || see_pass $long || exit 1
    killed=0 refused=0 known=0 survived=0 same=0
    while IFS=$'\t' read -r place kind name changed; do
        [[ "$place	$kind	$name	$changed" =~ ${ONLY:-.} ]] || continue
        IFS=: read -r file line col <<< "$place"
        shown=$(sed 's/^ *//' <<< "$changed")
        lua5.1 "$drawing" make "$tree/$file" "$line" "$col" "$kind" > "$work/mutant.c" || exit 1
        judge "$file" "$work/mutant.c" "$({ echo "$file"; cat "$work/mutant.c"; } | sha1sum | cut -c 1-20)"
        case $verdict in
            killed) killed=$((killed + 1)) said="killed by $by" ;;
            refused) refused=$((refused + 1)) said="does not compile" ;;
            same) same=$((same + 1)) said="the same code" ;;
            *) if grep -qF -- "$file	$kind	$name	$shown	" "$explained"; then
                   known=$((known + 1)) said="survived, explained"
               else
                   survived=$((survived + 1)) said=SURVIVED
               fi ;;
        esac
        printf '%-30s %s:%s:%s %s  %s: %s\n' "$said" "$file" "$line" "$col" "$kind" "$name" "$shown"
    done < "$work/drawn" > "$work/judged.$at_most_s"
done
cat "$work/judged.$at_most_s"
echo "$((killed + refused + same + known + survived)) mutants: $killed killed, $refused do not compile, $same are the same code," \
    "$known explained, $survived survived"
[ "$survived" -eq 0 ] && [ "$killed" -gt 0 ]
