#!/bin/bash
# patched.sh - the scripts that the museum takes for those of an older release, against the recordings of that release:
# an exhibit's patch, applied to the shipped script, is what really was there. The last line is `N passed, N failed`.
# Usage: tests/recordings/patched.sh          (from the root; $BUILD/tests/recordings is built)
set -u
programs=${BUILD:-build}/tests/recordings
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# Applies what an exhibit's patch says of a script: one hunk, context and all. Usage: patched EXHIBIT SCRIPT
patched() {
    awk -v script="$2" '
        FNR == 1 { file++ }
        file == 1 && index($0, "[\"" script "\"] = [[") { in_patch = 1; next }
        file == 1 && /^\]\],/ { in_patch = 0 }
        file == 1 && in_patch && !/^@@/ {
            if (!/^\+/) old = old substr($0, 2) "\n"
            if (!/^-/) new = new substr($0, 2) "\n"
        }
        file == 2 { text = text $0 "\n" }
        END {
            at = old == "" ? 0 : index(text, old)
            if (!at) exit 1
            printf "%s%s%s", substr(text, 1, at - 1), new, substr(text, at + length(old))
        }' "scenarios/museum/$1.lua" "scripts/$2"
}

# Usage: holds EXHIBIT SCRIPT RECORDING
holds() {
    local out p f
    if ! patched "$1" "$2" > "$work/script.lua"; then
        echo "patched: the patch of $1 does not fit $2"
        failed=$((failed + 1))
        return
    fi
    out=$("$programs/scripts" --script "$work/script.lua" "tests/recordings/scripts/$3") || true
    sed '$d' <<< "$out" | sed "s/^scripts: /$1, patched: /"
    read -r p _ f _ <<< "$(tail -n 1 <<< "$out")"
    passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
}

holds R06b redisson/fair/acquire.lua redisson-3.32.0/fair.acquire.jsonl
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
