#!/bin/bash
# scenarios.sh - every shipped scenario comes to PASS: what holds holds, and what its `expect` calls violated is found violated.
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=${LOCKSIM:-build/locksim}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export locksim dir

# One process per folder, as many at once as there are processors.
find scenarios -name '*.lua' -exec grep -lE '^ *program *=' {} + | xargs -r -n1 dirname | LC_ALL=C sort -u > "$dir/folders"
xargs -r -P "$(nproc)" -I{} sh -c '"$locksim" run {} --format json -o "$dir/out" > "$dir/$(echo {} | tr / _).json" 2> "$dir/$(echo {} | tr / _).err"' < "$dir/folders"

passed=0 failed=0
while read -r folder; do
    json=$dir/${folder//\//_}.json
    wanted=$(find "$folder" -maxdepth 1 -name '*.lua' -exec grep -lE '^ *program *=' {} + | wc -l)
    verdicts=$(sed -n 's/^ *"scenario": *"\(.*\)",\{0,1\}$/\1/p; s/^ *"verdict": *"\(.*\)",\{0,1\}$/\1/p' "$json" | paste - -)
    good=$(echo "$verdicts" | awk -F'\t' -v f="$folder/" '$2 == "PASS" && substr($1, 1, length(f)) == f && substr($1, length(f) + 1) !~ "/"' | wc -l)
    passed=$((passed + good))
    if [ "$good" -ne "$wanted" ]; then
        failed=$((failed + wanted - good))
        echo "$verdicts" | awk -F'\t' '$2 != "PASS" { print "FAIL " $1 ": " $2 }'
        cat "$dir/${folder//\//_}.err"
    fi
done < "$dir/folders"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
