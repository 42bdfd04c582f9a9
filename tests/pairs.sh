#!/bin/bash
# pairs.sh - what breaks by two faults that neither of them breaks alone: every lock of scenarios/faults under every
# pair of kinds, also one kind twice, with two clients. Prints a table and how much of it was searched to its end; exit
# status 0 unless locksim itself fails.
# Usage: tests/pairs.sh [LOCK...]         files of scenarios/faults, without .lua; without any: all that have a case
#                                         crash.two. It takes hours.
#   KINDS="crash pause"   only pairs of these       STATES=20000   of each search, at most       JOBS=1   searches side
#                         by side
#
# A lock's program is that of its case crash.two; where a replica is needed, that of failover.two.
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=${LOCKSIM:-${BUILD:-build}/locksim}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
read -ra kinds <<< "${KINDS:-$("$locksim" list faults | awk '{ print $1 }' | tr '\n' ' ')}"
locks=("$@")
for lock in "${locks[@]}"; do
    [ -e "scenarios/faults/$lock.lua" ] || { echo "pairs.sh: there is no scenarios/faults/$lock.lua" >&2; exit 64; }
done
[ $# -gt 0 ] || mapfile -t locks \
    < <("$locksim" list scenarios scenarios/faults | sed -n 's|^scenarios/faults/\([^:]*\)\.lua:crash\.two .*|\1|p')

needs_replica() { case $1 in lag|failover) return 0 ;; esac; return 1; }

# Of JSON: lock, verdict, whether all was searched, codes of what is violated; a line for each scenario.
facts() {
    awk -F'"' '
        function flush() { if (lock) print lock, verdict, complete, codes; lock = codes = "" }
        /^ *"scenario":/ { flush(); n = split($4, part, "/"); lock = part[n]; sub(/\.lua.*/, "", lock) }
        /^ *"verdict":/ { verdict = $4 }
        /^ *"complete":/ { complete = /true/ ? "all" : "part" }
        /^ *"code":/ { code = substr($4, 3) }
        /^ *"outcome": "violated"/ { codes = codes " " code }
        END { flush() }'
}

# Searches all locks' worlds of one kind under these faults, into a file named for both.  Usage: search plain|replica
# FAULTS
search() {
    local world=$1 faults=$2 lock file files=()
    [ ! -e "$dir/$world.$faults" ] || return 0
    for lock in "${locks[@]}"; do
        file=scenarios/faults/$lock.lua:crash.two
        [ "$world" = plain ] || file=scenarios/faults/$lock.lua:failover.two
        files+=("$file")
    done
    [ ${#files[@]} -gt 0 ] || { : > "$dir/$world.$faults"; return 0; }
    "$locksim" run --faults "$faults" --format json --max-states "${STATES:-20000}" --jobs "${JOBS:-1}" -o "$dir/out" \
        "${files[@]}" > "$dir/json" 2> "$dir/err"
    local status=$?
    case $status in 64|65|70) cat "$dir/err" >&2; exit $status ;; esac
    facts < "$dir/json" > "$dir/$world.$faults"
    rm -rf "$dir/out"
}

# A line for each lock: what breaks by the pair and by neither of the two.
compare() {
    local world=$1 a=$2 b=$3 both=$4 words=$5
    awk -v words="$words" -v pair="$dir/$world.$both" '
        FILENAME != pair { for (i = 4; i <= NF; i++) alone[$1, $i] = 1; if ($3 != "all") part[$1] = 1; next }
        $2 == "VACUOUS" || $2 == "ERROR" { next }
        {
            besides = ""
            for (i = 4; i <= NF; i++)
                if (!(($1, $i) in alone))
                    besides = besides " " $i
            print $1 "|" words "|" substr(besides, 2) "|" ($3 == "all" && !($1 in part) ? "all" : "part")
        }' "$dir/$world.$a" "$dir/$world.$b" "$dir/$world.$both"
}

: > "$dir/lines"
for ((i = 0; i < ${#kinds[@]}; i++)); do
    for ((k = i; k < ${#kinds[@]}; k++)); do
        a=${kinds[i]} b=${kinds[k]} world=plain
        if needs_replica "$a" || needs_replica "$b"; then world=replica; fi
        both=$a=1,$b=1 words="$a + $b"
        [ "$a" != "$b" ] || { both=$a=2; words="$a twice"; }
        search $world "$a=1"
        search $world "$b=1"
        search $world "$both"
        compare $world "$a=1" "$b=1" "$both" "$words" >> "$dir/lines"
        echo "$words" >&2
    done
done

echo "| lock | faults | breaks besides |"
echo "|---|---|---|"
sort -s -t'|' -k1,1 "$dir/lines" | awk -F'|' '$3 != "" { print "| " $1 " | " $2 " | " $3 " |" }'
awk -F'|' -v states="${STATES:-20000}" '
    { n++; if ($4 == "part") part++; if ($3 != "") more++ }
    END { printf "\n%d pairs of faults and a lock: %d break more than either fault alone; %d have more than %d states, and were searched that far\n", n, more, part, states }' \
    "$dir/lines"
