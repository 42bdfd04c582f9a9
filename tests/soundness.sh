#!/bin/bash
# soundness.sh - scenarios whose verdict is known from elsewhere: the first line of each file of tests/soundness says it
# (`-- truth: mutual_exclusion (LK001) violated`, `-- truth: holds`), whatever `expect` says in the file. It must come
# out by default, without an option, by tables and (where there are few states, or with ALL=1) with --no-memo. A folder
# of the file's name is its overlay: where the truth ends in `holds with the shipped client`, the property must hold in
# a copy without the folder. Usage: tests/soundness.sh [FILE...]
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=${LOCKSIM:-build/locksim}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0

# The outcome of a property. Usage: outcome JSON PROPERTY
outcome() {
    awk -v p="$2" -F'"' '$2 == "name" { name = $4 } $2 == "outcome" && name == p { print $4; exit }' "$1"
}

check() {
    local file=$1 truth property got
    shift
    truth=$(head -1 "$file" | sed -n 's/^-- truth: //p')
    timeout 1800 "$locksim" run --format json -o "$dir/out" "$@" "$file" > "$dir/json" 2> "$dir/err"
    case $file:$truth in
        "$dir"/*) got=$(outcome "$dir/json" "${truth%% *}"); [ "$got" = holds ] ;;
        *:holds*) got=$(grep -c '"outcome": "violated"' "$dir/json"); [ "$got" -eq 0 ] &&
            grep -q '"outcome": "holds"' "$dir/json" ;;
        *:*" violated"*)
            property=${truth%% *}
            got=$(outcome "$dir/json" "$property"); [ "$got" = violated ] ;;
        *) got="no truth in its first line"; false ;;
    esac
    if [ $? -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $file $*: ${truth:-?}; got: ${got:-nothing}"
        tail -n 5 "$dir/err" | sed 's/^/  | /'
    fi
}

# Every step run again is slow: only worlds with few states, or all with ALL=1. Usage: again FILE, after check FILE
again() {
    local states
    states=$(sed -n 's/^ *"states": \([0-9]*\).*/\1/p' "$dir/json" | head -1)
    if [ -n "${ALL:-}" ] || [ "${states:-0}" -le 200 ]; then
        check "$1" --no-memo
    else
        left_out=$((left_out + 1))
    fi
}

left_out=0
[ $# -gt 0 ] || set -- tests/soundness/*.lua
for file; do
    check "$file"
    again "$file"
    if head -1 "$file" | grep -q 'holds with the shipped client$'; then
        cp "$file" "$dir"
        check "$dir/${file##*/}"
        again "$dir/${file##*/}"
    fi
done
echo "soundness: $left_out larger worlds by tables only (ALL=1 runs all of them without, too)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
