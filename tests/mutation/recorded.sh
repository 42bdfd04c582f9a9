#!/bin/bash
# recorded.sh - which mutants the recordings of the real libraries notice: a script's, where a case of its recording
# gives another result; a driver's, where a trace that loads it cannot be met any more. generic.lua and what it is made
# of are of no library: they have tests of their own, tests/cli/generic*.sh. Reads the index and the diffs that `locksim mutate -o FOLDER`
# has kept, and writes OUT/index.tsv, in which those that were not killed are, or survive. What is known in OUT is not
# asked again, unless what it was known by has changed. Usage: tests/mutation/recorded.sh FOLDER OUT          (from the root; $BUILD/tests/recordings are built)
set -u
from=$1 out=$2
programs=${BUILD:-build}/tests/recordings
mkdir -p "$out" || exit 1
export from out programs

# Where what would notice is newer than what is known, those that nobody noticed are asked again: of generic.lua and what
# it is made of its tests, of all others the recordings and what plays them.
newest_of() { find "$@" -type f ! -name '*.md' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2-; }
newest=$(newest_of tests/recordings) newest_test=$(newest_of tests/cli/generic*.sh)
ours=(-name 'scripts.generic.*' -o -name 'scripts.holdings.*' -o -name 'scripts.untold.*')
find "$out" -name '*.by' -empty \( "${ours[@]}" \) ! -newer "$newest_test" -delete
find "$out" -name '*.by' -empty ! \( "${ours[@]}" \) ! -newer "$newest" -delete
[ "$out/files.tsv" -nt "$newest" ] || rm -f "$out/files.tsv"

if [ ! -s "$out/files.tsv" ]; then
    find tests/recordings/clients -name '*.json' -print0 | LC_ALL=C sort -z | xargs -0 "$programs/clients" --files |
        LC_ALL=C sort -u > "$out/files.new"
    find tests/recordings/scripts -name '*.jsonl' -print0 | LC_ALL=C sort -z |
        xargs -0 "$programs/scripts" --files >> "$out/files.new"
    mv "$out/files.new" "$out/files.tsv"
fi

# What fails without a mistake would notice each of them.
find tests/recordings/clients -name '*.json' -print0 | xargs -0 "$programs/clients" --meant tests/recordings/meant.tsv > "$out/asis.txt" &&
    find tests/recordings/scripts -name '*.jsonl' -print0 | xargs -0 "$programs/scripts" >> "$out/asis.txt" || {
    tail -n 3 "$out/asis.txt" >&2
    echo "recorded: the recordings are not met by the scripts as they are: are $programs built?" >&2
    exit 70
}

# A tree in which generic.lua can be another one, and the first check of its tests that fails there, or else how many
# passed. A search that does not end within `patience` seconds fails a check: twice what all of them take without
# the mistake, on this machine as it is today.
own_tree() {
    mkdir -p "$1/build" "$1/tests" "$1/sim"                # a program takes scripts/ for its own where sim/ is
    cp "${LOCKSIM:-${BUILD:-build}/locksim}" "$1/build/locksim"
    cp -r scripts "$1/"
    cp -r tests/cli "$1/tests/"
}
own_test() {
    (cd "$1" && env -u BUILD LOCKSIM="$1/build/locksim" RUN_SECONDS_MAX=${patience:-300} timeout 900 bash tests/cli/run.sh generic_fields generic \
        2> /dev/null | grep -m 1 -E '^FAIL|^[0-9]+ passed')
}
export -f own_tree own_test

# Writes who notices the mutant NAME of FILE, or nothing, to $out/NAME.INPUTS.by; INPUTS is another word when the file
# has changed. What does not end in a minute has noticed nothing.
judge() {
    local name=$1 file=$2 told=$1.$3.by by="" tree
    local -a cases traces
    [ -e "$out/$told" ] && return
    mapfile -t cases < <(awk -F'\t' -v f="$file" '$2 == f && $1 ~ /\.jsonl$/ { print $1 }' "$out/files.tsv")
    mapfile -t traces < <(awk -F'\t' -v f="$file" '$2 == f && $1 ~ /\.json$/ { print $1 }' "$out/files.tsv")
    if [ $((${#cases[@]} + ${#traces[@]})) -gt 0 ]; then
        tree=$(mktemp -d) || return
        mkdir -p "$tree/$(dirname "$file")"
        if [ ${#cases[@]} -gt 0 ]; then
            cp -r scripts "$tree/"
        fi
        patch -s -o "$tree/$file" "$file" "$from/$name.diff" ||
            { echo "recorded: $name.diff does not fit" >&2; rm -rf "$tree"; return; }
        if [ ${#cases[@]} -gt 0 ]; then
            by=$(timeout 60 "$programs/scripts" --scripts "$tree/scripts" --show 0 "${cases[@]}" | sed -n 's/\(.*\.jsonl\): \([0-9]* of .*\)/\1\t\2/p' | head -n 1)
        fi
        if [ -z "$by" ] && [ ${#traces[@]} -gt 0 ]; then
            by=$(timeout 60 "$programs/clients" --scripts "$tree/scripts" --show 0 --first --meant tests/recordings/meant.tsv "${traces[@]}" |
                 sed -n 's/^\([^ ]*\) differs$/the trace \1\ta request or an answer differs/p' | head -n 1)
        fi
        rm -rf "$tree"
    elif [[ $file =~ ^scripts/(generic|holdings|untold)\.lua$ ]]; then
        tree=$(mktemp -d) || return
        own_tree "$tree"
        patch -s -o "$tree/$file" "$file" "$from/$name.diff"
        by=$(own_test "$tree")
        case $by in
            FAIL*) by="tests/cli/generic.sh"$'\t'"$by" ;;
            *) by="" ;;
        esac
        rm -rf "$tree"
    fi
    printf '%s' "$by" > "$out/$told.new" && mv "$out/$told.new" "$out/$told"
}
export -f judge

# NAME <tab> FILE <tab> INPUTS of each that is left, as mutate names its files.
left=$(awk -F'\t' 'NR > 1 && $8 != "killed" { name = $1; sub(/\.lua$/, "", name); gsub(/\//, ".", name)
                   printf "%s.%03d\t%s\t%s\n", name, $3, $1, $2 }' \
       "$from/index.tsv")
if [[ $left =~ scripts/(generic|holdings|untold)\.lua ]]; then
    tree=$(mktemp -d) || exit 1
    own_tree "$tree"
    began=$SECONDS
    said=$(own_test "$tree")
    export patience=$((20 + 2 * (SECONDS - began)))
    rm -rf "$tree"
    [[ $said == *" passed, 0 failed" ]] || { echo "recorded: generic.sh says '$said' of generic.lua as it is" \
        >&2; exit 70; }
fi
[ -z "$left" ] || tr '\t' '\n' <<< "$left" | xargs -P "${JOBS:-$(nproc)}" -n 3 bash -c 'judge "$1" "$2" "$3"' judge

awk -F'\t' -v OFS='\t' -v out="$out" '
    NR > 1 && $8 != "killed" {
        $8 = "survived"
        name = $1; sub(/\.lua$/, "", name); gsub(/\//, ".", name)
        at = sprintf("%s/%s.%03d.%s.by", out, name, $3, $2); by = ""
        getline by < at; close(at)
        if (by != "") { split(by, who, "\t"); $8 = "killed"; $9 = who[1]; $10 = who[2] }
    }
    { print }' "$from/index.tsv" > "$out/index.new" && mv "$out/index.new" "$out/index.tsv"
awk -F'\t' -v out="$out" 'NR > 1 { n[$8]++; all++; by += $8 == "killed" && $9 ~ /^the trace |\.jsonl$|\.sh$/ }
    END { printf "recorded: %d of %d mutants are noticed by recordings and tests\n", by, all }' "$out/index.tsv"
