#!/bin/bash
# same_twice.sh - one seed, two runs, the same bytes: every shipped scenario, as text, JSON and JUnit, and the files a
# run saves. The second run has another memory layout, time zone, locale and junk in fresh memory, so that nothing of
# these can have reached the output.
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=${LOCKSIM:-build/locksim}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0

same() {
    if cmp -s "$2" "$3"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $1 differs between two runs of one seed:"
        diff "$2" "$3" | head -20
    fi
}

plain() { "$@" 2>&1 < /dev/null; echo "status $?"; }
# Some containers forbid to switch off address randomisation; it differs from run to run anyway.
steady="setarch $(uname -m) -R"
$steady true 2> /dev/null || steady=
disturbed() {
    env TZ=Asia/Kathmandu LC_ALL=C.UTF-8 MALLOC_PERTURB_=165 MALLOC_ARENA_MAX=1 HOME=/nonexistent COLUMNS=40 $steady \
        "$@" 2>&1 < /dev/null
    echo "status $?"
}

# A folder or a file at a time: a failure's diff names the scenario. Both ways of searching: sampled, whose long stories
# take most of the time to shorten, and every state up to a limit. Single files are not told as JUnit, too: the folders
# have it all.
while read -r file; do
    name=${file//\//_}
    hows=('text --runs 5 --max-steps 60' 'json --max-states 100')
    [[ ! -d $file && $file != *_counted.lua ]] || hows+=('junit --max-states 60')
    [[ $file != scenarios/tour* ]] || hows[0]='text --runs 5'
    for how in "${hows[@]}"; do
        plain "$locksim" run "$file" --seed 7 --format $how -o "$dir/out" --jobs 1 > "$dir/a"
        mv "$dir/out" "$dir/out.a" 2> /dev/null
        disturbed "$locksim" run "$file" --seed 7 --format $how -o "$dir/out" --jobs 3 > "$dir/b"
        same "$name as $how" "$dir/a" "$dir/b"
        if [ -d "$dir/out.a" ] || [ -d "$dir/out" ]; then
            if diff -r "$dir/out.a" "$dir/out" > "$dir/saved" 2>&1; then
                passed=$((passed + 1))
            else
                failed=$((failed + 1))
                echo "FAIL $name: what it saves differs:"
                head -20 "$dir/saved"
            fi
        fi
        rm -rf "$dir/out" "$dir/out.a"
    done
done < <(
    find scenarios/seeds scenarios/tour -mindepth 1 -name '*.lua' -exec grep -lE '^ *program *=' {} + | xargs -r -n1 dirname |
        grep -v '/seeds$' | LC_ALL=C sort -u
    "$locksim" list scenarios scenarios/seeds | sed -n 's/^\([^:]*\.lua\):.*/\1/p' |
        LC_ALL=C sort -u      # a file is a folder of cases
    "$locksim" list scenarios scenarios/faults | awk '!/:/ { print $1 }'
    echo scenarios/faults/simple_counted.lua       # one lock under every fault: the others are told in the same way
)

# Another seed is another search: were the seed ignored, the above would show nothing.
first=scenarios/tour/sleeper.lua
plain "$locksim" run $first --seed 1 --runs 50 --verbose --format json -o "$dir/out" > "$dir/a"
plain "$locksim" run $first --seed 2 --runs 50 --verbose --format json -o "$dir/out" > "$dir/b"
if cmp -s "$dir/a" "$dir/b"; then
    failed=$((failed + 1))
    echo "FAIL $first: two seeds give the very same bytes"
else
    passed=$((passed + 1))
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
