#!/bin/bash
# fairness.sh - scenarios/fairness has every lock, under the same loads, and what reports/gallery and the page of
# fairness show of it is there and is what a run gives: two rows of its tables are measured again. `make gallery` writes
# all of it.
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=${LOCKSIM:-build/locksim}
gallery=reports/gallery
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0

check() {
    local name=$1
    shift
    if "$@" > "$dir/said" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name (make gallery)"
        head -20 "$dir/said" | sed 's/^/  | /'
    fi
}

# The latch is no lock: nobody waits for anybody there but the one who counts on all. preempt.lua has many locks. The
# forms of a package over several servers wait as its locks of one server do, and are looked at under faults only.
for lock in \
    $("$locksim" list scenarios scenarios/faults | sed -n 's|^scenarios/faults/\([^:]*\)\.lua:.*|\1|p' | LC_ALL=C sort -u); do
    case $lock in redisson_latch | preempt | node_redlock_three | redis_semaphore_over_*) continue ;; esac
    check "$lock is under the loads of all" grep -qE 'workload = (require "workloads"|workloads),' \
        "scenarios/fairness/$lock.lua"
    check "$lock has a row for each of them" test "$(grep -c "^| $lock |" $gallery/README.md)" = 4
done

# Usage: again LOCK WORKLOAD
again() {
    "$locksim" simulate "scenarios/fairness/$1.lua" --workload "$2" -o "$dir/data/$2" > "$dir/out" 2>&1 ||
        cat "$dir/out"
    tests/gallery.sh --rows "$dir/data/$2" "$2" > "$dir/rows"
    check "one row of $1, $2" test "$(wc -l < "$dir/rows")" = 1
    check "$1, $2: the gallery's table has what a run gives" sh -c \
        'grep -qxF -f "$1" "$2" || { cat "$1"; grep "$(cut -d" " -f1-3 "$1")" "$2"; exit 1; }' - "$dir/rows" \
        $gallery/README.md
}
again basic_blocking saturated
again redisson_fair low
for picture in $(sed -n 's/^!\[.*\](\(.*\))$/\1/p' $gallery/README.md) \
    $(sed -n 's|.*(\.\./gallery/\([^)]*\.svg\)).*|\1|p' reports/pages/fairness.md); do
    check "$picture is there" grep -q '^</svg>$' "$gallery/$picture"
    check "$picture is small" test "$(wc -c < "$gallery/$picture")" -lt 320000
done
check "no picture is left over" test "$(find $gallery -name '*.svg' | wc -l)" = \
    "$(sed -n 's/^!\[.*\](\(.*\))$/\1/p' $gallery/README.md | wc -l)"
check "the page of fairness shows some of them" grep -q '\.\./gallery/.*\.svg' reports/pages/fairness.md
for picture in $(sed -n 's|^!.*(\(reports/gallery/[^)]*\.svg\)).*|\1|p' README.md); do
    check "$picture, which the README shows, is there" test -s "$picture"
done
check "the README shows one" grep -q '^!.*(reports/gallery/.*\.svg)' README.md
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 60 ]
