#!/bin/bash
# large.sh - the scenarios that are known to have more than 1,000 states, from tests/large.txt, a name a line. Tests
# that stop at so many states, or at fewer, would learn nothing from them.
# Usage: tests/large.sh            tests/large.sh --write: searches all of scenarios/ that far, and writes the list anew
#                                  (make large: minutes)
set -u
cd "$(dirname "$0")/.." || exit 1
list=tests/large.txt

if [ "${1:-}" != --write ]; then
    awk '!/^#/ { for (i = 2; i <= NF; i++) print $1 ~ /\.lua$/ ? $1 ":" $i : $1 "/" $i ".lua" }' "$list"
    exit
fi
locksim=${LOCKSIM:-build/locksim}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
"$locksim" list scenarios scenarios | awk '!/^scenarios\/museum\// { print $1 }' | LC_ALL=C sort > "$dir/files"
xargs -r -n 100 "$locksim" run --format json --max-states 1000 -o "$dir/out" < "$dir/files" > "$dir/json" 2> /dev/null
{
    sed -n '1,/^$/p' "$list"
    sed -n 's/^ *"scenario": *"\(.*\)",\{0,1\}$/\1/p; s/^ *"verdict": *"\(.*\)",\{0,1\}$/\1/p' "$dir/json" | paste - - |
        awk -F'\t' '$2 == "INCONCLUSIVE" { folder = name = $1
                    if (name ~ /:/) { sub(/:.*/, "", folder); sub(/.*:/, "", name) }
                    else { sub(/\/[^\/]*$/, "", folder); sub(/.*\//, "", name); sub(/\.lua$/, "", name) }
                    if (folder != last) { printf "%s%s", last ? "\n" : "", folder; last = folder }
                    printf " %s", name }
                    END { print "" }'
} > "$dir/new" && cat "$dir/new" > "$list"
