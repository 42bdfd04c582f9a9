# stories_shipped.sh - every shipped case that is expected to break has a line in its file's .stories that says how, or
# says with a ? that its whole graph is too large for that.

"$LOCKSIM" run --max-states 1 --format json "$ROOT"/scenarios/seeds "$ROOT"/scenarios/museum "$ROOT"/scenarios/findings \
    "$ROOT"/scenarios/meetings "$ROOT"/scenarios/faults > shipped.json 2> err
awk -F'"' '$2 == "scenario" { file = $4 } $2 == "name" { property = $4 }
           $2 == "expected" && $4 == "violated" { print file, property }' shipped.json | sort -u > violated
check "some cases are expected to break" [ "$(wc -l < violated)" -gt 500 ]
while read -r scenario property; do
    file=${scenario%%.lua*} case=${scenario##*.lua}
    case=${case#:}
    awk -v c="${case:--}" -v p="$property" '$1 == c && $2 == p { found = 1 } END { exit !found }' \
        "$file.stories" 2> err || echo "${scenario#"$ROOT"/} $property"
done < violated > missing
check "each has a line in its .stories: $(head -3 missing | tr '\n' ';')" [ ! -s missing ]
