#!/bin/bash
# findings.sh - no accusation without evidence: each file of scenarios/findings says against which release of which
# library it was checked and by what (recordings, traces, reading of a class, function or file that it names), names
# recordings and traces that are there, or says that no library is meant; and each has its row on the page of
# findings, which says the same in short. An exhibit of the museum that names a library says which versions of it, and
# its evidence is the report (#123) or the change (a commit) that it names; where there is none, it says as a finding
# does by what it was checked. A family of locks from a package has a matrix of faults, findings and recordings of its
# own. A lock of the page of locks stands for a release that recordings or traces are of, or says by what else it was
# checked, or is no library's. The last line is `N passed, N failed`.
# Usage: tests/findings.sh [FOLDER [PAGE [MUSEUM]]]
set -u
cd "$(dirname "$0")/.." || exit 1
folder=${1:-scenarios/findings} page=${2:-reports/pages/findings.md} museum=${3:-scenarios/museum}
passed=0 failed=0

fails() {
    echo "findings: $1"
    failed=$((failed + 1))
}

# The comment at the head of a file as one line.
head_of() { sed -n '/^--/!q; s/^-- *//p' "$1" | tr '\n' ' '; }

# Traces (lock_32) and scripts (fair.acquire) that a text names and nobody has.
missing_in() {
    local name
    for name in $(grep -oE '\b[a-z]+_[0-9]{2}\b' <<< "$1"); do
        compgen -G "tests/recordings/clients/*/${name}_*.json" > /dev/null || echo "$name"
    done
    for name in $(grep -oE '\b[a-z_]+\.[a-z_]+\b' <<< "$1" | grep -vE '\.(lua|js|ts)$'); do
        compgen -G "tests/recordings/scripts/*/$name.jsonl" > /dev/null || echo "$name"
    done
}

# Who reads names what he has read: a class and its method, a function, or a file of the library.
names_what_was_read() {
    grep -qE '\breading [^.]*([A-Z][A-Za-z]+(\.[_a-zA-Z]+)?|[a-zA-Z]+\(\)|[a-z/]+\.(js|py)\b)' <<< "$1"
}

# What is wrong with the evidence that a head names; empty: nothing.
lacks() {
    local evidence what missing
    evidence=$(grep -oE 'Checked against [a-z][a-z_-]+ [0-9][0-9a-z.-]* by .*' <<< "$1")
    what=${evidence#* by }
    missing=$(missing_in "$evidence")
    if [ -z "$evidence" ]; then
        echo "says not against which release it was checked"
    elif ! grep -qE '^(a |the )?(recordings?|traces?|reading)' <<< "$what"; then
        echo "does not say by what it was checked: recordings, traces or reading"
    elif grep -qE '\breading\b' <<< "$what" && ! names_what_was_read "$what"; then
        echo "does not name the class and the method that was read"
    elif [ -n "$missing" ]; then
        echo "names what is not there: $(tr '\n' ' ' <<< "$missing")"
    fi
}

# What the page says of a head's evidence: "redisson 4.7.0: trace, recording".
in_short() {
    local evidence what kinds=""
    if [[ $1 == *"No library is meant"* ]]; then
        echo "no library"
        return
    fi
    evidence=$(grep -oE 'Checked against [a-z][a-z_-]+ [0-9][0-9a-z.-]* by .*' <<< "$1" | sed 's/^Checked against //')
    what=$(sed 's|tests/recordings||g' <<< "${evidence#* by }")
    grep -qE '\btraces?\b' <<< "$what" && kinds+=", trace"
    grep -qE '\b(recordings|cases) of' <<< "$what" && kinds+=", recording"
    grep -qE '\breading\b' <<< "$what" && kinds+=", reading"
    echo "${evidence%% by *}: ${kinds#, }"
}

for file in "$folder"/*.lua; do
    name=$(basename "$file" .lua)
    text=$(head_of "$file")
    why=$(lacks "$text")
    row=$(grep "^| \`$name\` |" "$page")
    if [ -n "$why" ] && [[ $text != *"No library is meant"* ]]; then
        fails "$name $why"
    elif [ -z "$row" ]; then
        fails "$name has no row on $page"
    elif [[ $row != *" | $(in_short "$text") |" ]]; then
        fails "$page should end its row of $name by '| $(in_short "$text") |'"
    else
        passed=$((passed + 1))
    fi
done
for name in $(sed -n 's/^| `\([a-z_0-9]*\)` |.*/\1/p' "$page"); do
    [ -e "$folder/$name.lua" ] || fails "$page has a row of $name, which is not in $folder"
done

# A field of a file's exhibit.
exhibit() { tr '\n' ' ' < "$1" | grep -oE '\bexhibit *= \{[^}]*\}' | sed -n "s/.*\b$2 = \"\([^\"]*\)\".*/\1/p"; }

for file in "$museum"/*.lua; do
    name=$(basename "$file" .lua)
    library=$(exhibit "$file" library)
    case $library in
        "" | home-made | "any lock "*) continue ;;         # nobody is accused
    esac
    why=""
    grep -qE '#[0-9]+|^[0-9a-f]{9}$' <<< "$(exhibit "$file" bug)" || why=$(lacks "$(head_of "$file")")
    if [ -z "$(exhibit "$file" versions)" ]; then
        fails "$museum/$name names $library without versions"
    elif [ -n "$why" ]; then
        fails "$museum/$name names no report, and $why"
    else
        passed=$((passed + 1))
    fi
done

# The forms of a family over several servers, DRIVER.FUNCTION: each has a matrix with more servers than one.
over_several() {
    local driver
    for driver in "scripts/$1"/*.lua; do
        sed -nE "s/^function M\.(over|[a-z_]+)\(servers.*/$(basename "$driver" .lua) \1/p" "$driver"
    done
}
several_in() { grep -qE "require\(\"$1\.$2\"\)\.$3\([2-9]" scenarios/faults/"$1"*.lua; }

if [ $# -eq 0 ]; then
    for family in \
        $(for d in tests/recordings/clients/*/; do basename "$d" | sed 's/-[0-9].*//; s/^redlock$/node-redlock/; s/-/_/g'; done | sort -u); do
        if ! compgen -G "scenarios/faults/$family*.lua" > /dev/null; then
            fails "$family has no matrix of faults"
        elif ! grep -lqE "\"$family\b" scenarios/findings/*.lua scenarios/museum/*.lua; then
            fails "$family has no finding of its own"
        else
            passed=$((passed + 1))
        fi
        while read -r driver form; do
            if several_in "$family" "$driver" "$form"; then
                passed=$((passed + 1))
            else
                fails "$family/$driver has no matrix of faults for $form() of several servers"
            fi
        done < <(over_several "$family")
    done
fi
# What a lock of the page of locks stands for, in that page's own rows: patterns | library release | held against.
stands_for() {
    local lock=$1 row pattern best="" found=""
    while IFS='|' read -r _ names what by _; do
        for pattern in $(tr -d '\`' <<< "$names"); do
            # shellcheck disable=SC2053
            [[ $lock == $pattern ]] && [ ${#pattern} -gt ${#best} ] && best=$pattern found="$what|$by"
        done
    done < <(sed -n '/^## What they stand for/,/^## How to/p' "$2" | grep '^| `')
    echo "$found"
}
unproved() {
    local what=$1 by=$2 folder
    folder=$(sed 's/^ *//; s/ *$//; s/ /-/' <<< "${what,,}")
    if [ -z "$what" ]; then
        echo "is no row's"
    elif [[ $what == *"no library"* ]]; then
        return
    elif ! grep -qE '[0-9]' <<< "$what"; then
        echo "names no release"
    elif [[ $by == *"recordings of"* ]] && [ ! -d "tests/recordings/scripts/$folder" ]; then
        echo "has no recordings, $folder"
    elif [[ $by == *"traces of"* ]] && [ ! -d "tests/recordings/clients/$folder" ]; then
        echo "has no traces, $folder"
    elif ! grep -qE 'recordings of|traces of|reading' <<< "$by"; then
        echo "does not say by what it was checked"
    fi
}
# The README tells a bug of a library at once: with the release and the reports that its scenario names.
if [ $# -eq 0 ]; then
    tour=$(head_of scenarios/tour/sleeper.lua)
    for said in $(grep -m 1 "^Redisson's fair lock" README.md | grep -oE '[0-9]+\.[0-9.]*[0-9]|#[0-9]+'); do
        if [[ " $tour " == *[!0-9.]"${said#\#}"[!0-9]* ]]; then
            passed=$((passed + 1))
        else
            fails "README.md says $said of Redisson's fair lock, and scenarios/tour/sleeper.lua does not"
        fi
    done
    grep -qE "^Redisson's fair lock.*[0-9]\.[0-9].*#[0-9]+" README.md ||
        fails "README.md names no release or report for Redisson's fair lock"
fi

locks=${LOCKS_PAGE:-reports/pages/locks.md}
for lock in $(sed -n '/^<!-- locks/,/^<!-- \/locks/p' "$locks" | sed -n 's/^| \([a-z][a-z0-9_]*\) |.*/\1/p' | grep -vx lock | sort -u); do
    IFS='|' read -r what by <<< "$(stands_for "$lock" "$locks")"
    why=$(unproved "$what" "$by")
    if [ -n "$why" ]; then
        fails "$lock of $locks $why"
    else
        passed=$((passed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
