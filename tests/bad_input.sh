#!/bin/bash
# bad_input.sh - whatever is given to `locksim run`, it ends soon, says where and what, with the right exit status, and
# the results of the other scenarios are there all the same.
set -u
cd "$(dirname "$0")/.." || exit 1
locksim=$(readlink -f "${LOCKSIM:-build/locksim}")
dir=$(mktemp -d) || exit 1
trap 'chmod -R u+rwx "$dir" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
passed=0 failed=0
seconds_max=${BAD_INPUT_SECONDS_MAX:-300}          # of one run; sanitizers and a busy machine included

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $1"; shift; printf '  | %s\n' "$@" | head -20; }

cat > good.lua <<'LUA'
return { title = "the good one", clients = { "A" }, explore = { random = 3 }, program = function(me) me:call("SET", "k", "1") end }
LUA

# Usage: expect NAME STATUS PATTERN ARG...    runs `locksim run ARG...`; its output must match PATTERN (grep -E).
expect() {
    local name=$1 status=$2 pattern=$3 got
    shift 3
    timeout -k 5 "$seconds_max" "$locksim" run "$@" > out 2>&1 < /dev/null
    got=$?
    if [ "$got" -ne "$status" ]; then
        bad "$name: exit status $got instead of $status" "$(cat out)"
    elif ! grep -qE -- "$pattern" out; then
        bad "$name: does not say /$pattern/" "$(cat out)"
    else
        ok
    fi
}

# Usage: broken NAME STATUS PATTERN < LUA     alone, and then between good ones: these must have their results.
broken() {
    local file=$1.lua got count
    cat > "$file"
    expect "$1" "$2" "$3" "$file"
    timeout -k 5 "$seconds_max" "$locksim" run good.lua "$file" good.lua --format json > out 2> err < /dev/null
    got=$?
    count=$(grep -c '"scenario": *"good.lua"' out)
    if [ "$got" -ne "$2" ]; then
        bad "$1 between good ones: exit status $got instead of $2" "$(cat out err)"
    elif [ "$count" -ne 2 ]; then
        bad "$1: $count results of 2 good scenarios beside it" "$(cat out err)"
    else
        ok
    fi
}

# A scenario file whose fields follow. Usage: scenario FIELDS
scenario() { echo 'return { title = "t", clients = { "A" }, explore = { random = 3 },'; printf '%s\n}\n' "$1"; }
idle='program = function(me) me:call("PING") end,'

expect "the good one" 0 'PASS' good.lua

# What is no scenario.
broken syntax_error        65 'syntax_error\.lua:2:.*error'  <<< $'return {\n  title = = 1 }'
broken unfinished          65 'unfinished\.lua:[0-9]+'       <<< 'return { title = "x'
broken empty               65 'empty\.lua'                   <<< ''
broken returns_nothing     65 'returns_nothing\.lua'         <<< 'local program = 1'
broken returns_number      65 'returns_number\.lua'          <<< 'return 42'
broken fails_to_load       65 'fails_to_load\.lua:1'         <<< 'error("at once")'
broken error_is_a_table    65 'error_is_a_table\.lua'        <<< 'error({ 1, 2 })'
broken loops_at_load       65 'loops_at_load\.lua'           <<< 'while true do end'
broken eats_at_load        65 'eats_at_load\.lua' \
    <<< $'local t = {}\nwhile true do t[#t + 1] = ("x"):rep(1e6) .. #t end'
broken doubles_at_load     65 'doubles_at_load\.lua'         <<< $'local s = "x"\nwhile true do s = s .. s end'
broken matches_for_ever    65 'matches_for_ever\.lua'        <<< 'return ("a"):rep(3000):find(("a*"):rep(60) .. "b")'
broken recurses            65 'recurses\.lua'                <<< $'local function f() return 1 + f() end\nreturn f()'
broken bytecode            65 'bytecode\.lua'                < <(printf '\033Lua\x51\0\x01\x04\x08\x04\x08\0rest')
broken reaches_out         65 'reaches_out\.lua:1'           <<< 'return io.open("/etc/passwd")'
broken makes_a_global      65 'makes_a_global\.lua:1'        <<< 'x = 1 return {}'
head -c 20000 /dev/urandom > noise && broken random_bytes 65 'random_bytes\.lua' < noise
head -c 20000 /dev/zero > zeros && broken zero_bytes 65 'zero_bytes\.lua' < zeros
printf 'return { title = "%s" }' "$(head -c 3000000 /dev/zero | tr '\0' x)" | broken long_line 65 'long_line\.lua'
{ printf 'return '; head -c 100000 /dev/zero | tr '\0' '{'; } | broken deep_nesting 65 'deep_nesting\.lua'

# What is a scenario, but says something wrong.
broken unknown_field       65 'unknown_field\.lua.*error|unknown_field\.lua:[0-9]+' \
    < <(scenario "$idle clinets = { 'B' },")
broken unknown_fault       65 'unknown_fault\.lua'       < <(scenario "$idle faults = { crahs = 1 },")
broken unknown_property    65 'unknown_property\.lua'    < <(scenario "$idle expect = { mutual_exclusoin = 'holds' },")
broken unknown_outcome     65 'unknown_outcome\.lua' \
    < <(scenario "$idle expect = { mutual_exclusion = 'perhaps' },")
broken unknown_exhibit     65 'unknown_exhibit\.lua:2'   < <(scenario "$idle exhibit = { bug = 'x', versoins = 'y' },")
broken unknown_sight       65 'unknown_sight\.lua'       < <(scenario "$idle must_see = { 'ghosts' },")
broken title_is_a_number   65 'title_is_a_number\.lua' \
    <<< 'return { title = {}, clients = { "A" }, program = function(me) end }'
broken no_clients          65 'no_clients\.lua' \
    <<< 'return { title = "t", clients = {}, program = function(me) end }'
broken no_program          65 'no_program\.lua'          <<< 'return { title = "t", clients = { "A" } }'
broken program_is_a_string 65 'program_is_a_string\.lua' <<< 'return { title = "t", clients = { "A" }, program = "f" }'
broken twin_clients        65 'twin_clients\.lua' \
    <<< 'return { title = "t", clients = { "A", "A" }, program = function(me) end }'
broken odd_name            65 'odd_name\.lua' \
    <<< 'return { title = "t", clients = { "A B!" }, program = function(me) end }'
broken million_threads     65 'million_threads\.lua' \
    <<< 'return { title = "t", clients = { { "A", threads = 1e9 } }, program = function(me) end }'
broken negative_budget     65 'negative_budget\.lua'     < <(scenario "$idle faults = { crash = -1 },")
broken fraction            65 'fraction\.lua'            < <(scenario "$idle faults = { crash = 1.5 },")
broken not_a_number        65 'not_a_number\.lua'        < <(scenario "$idle timeout_ms = 0/0,")
broken huge_number         65 'huge_number\.lua'         < <(scenario "$idle servers = 1e300,")
broken holes               65 'holes\.lua' \
    <<< 'return { title = "t", clients = { "A", nil, "C" }, program = function(me) end }'
broken missing_script      65 'missing_script\.lua' \
    <<< $'local s = script "no_such.lua"\nreturn { title = "t", clients = { "A" }, program = function(me) end }'
broken missing_module      65 'missing_module\.lua' \
    <<< $'local s = require "no.such"\nreturn { title = "t", clients = { "A" }, program = function(me) end }'
broken climbing_script     65 'climbing_script\.lua' \
    <<< $'local s = script "/etc/passwd"\nreturn { title = "t", clients = { "A" }, program = function(me) end }'

# Schedules.
broken schedule_nobody     65 'schedule_nobody\.lua.*|Z' \
    <<< "return { title = 't', clients = { 'A' }, $idle explore = { schedule = 'A Z' } }"
broken schedule_not_yet    65 'schedule_not_yet\.lua' \
    <<< "return { title = 't', clients = { 'A' }, $idle explore = { schedule = 'A A A A A A A' } }"
broken schedule_noise      65 'schedule_noise\.lua' \
    <<< "return { title = 't', clients = { 'A' }, $idle explore = { schedule = '+ ! <<>> \\255 +99999999999999999999' } }"
broken schedule_no_budget  65 'schedule_no_budget\.lua' \
    <<< "return { title = 't', clients = { 'A' }, $idle explore = { schedule = '!explode A' } }"

# Client code that goes wrong while it runs.
broken driver_errors       4  'driver_errors\.lua:2' \
    < <(scenario $'program = function(me) local x = nil; return x.y end,')
broken program_loops       4  'program_loops\.lua' \
    < <(scenario 'program = function(me) while true do end end,')
broken program_eats        4  'program_eats\.lua' \
    < <(scenario 'program = function(me) local t = {} while true do t[#t + 1] = ("x"):rep(1e6) .. #t end end,')
broken program_matches     4  'program_matches\.lua' \
    < <(scenario 'program = function(me) return ("a"):rep(3000):find(("a*"):rep(60) .. "b") end,')
broken program_recurses    4  'program_recurses\.lua' \
    < <(scenario 'program = function(me) local function f() return 1 + f() end return f() end,')
broken yields_in_a_sort    4  'yields_in_a_sort\.lua' \
    < <(scenario 'program = function(me) table.sort({ 2, 1, 3 }, function(a, b) me:call("PING") return a < b end) end,')
broken bad_argument        4  'bad_argument\.lua' \
    < <(scenario 'program = function(me) me:sleep("soon") end,')

# Scripts that go wrong are a finding about the lock (LK050), not a fault of the file.
broken script_loops        1  'LK050|script_health' \
    < <(scenario 'program = function(me) me:eval("while true do end", {}, {}) end,')
broken script_bomb         1  'LK050|script_health' \
    < <(scenario 'program = function(me) me:eval("local s = \"x\" while true do s = s .. s end", {}, {}) end,')
broken script_matches      1  'LK050|script_health' \
    < <(scenario 'program = function(me) me:eval("return (\"a\"):rep(3000):find((\"a*\"):rep(60) .. \"b\")", {}, {}) end,')
broken script_syntax       1  'LK050|script_health' \
    < <(scenario 'program = function(me) me:eval("return return", {}, {}) end,')

# Files that are none.
mkdir -p folder.lua empty_folder
expect "a folder without scenarios"  65 'empty_folder'  empty_folder
expect "no such file"                65 'absent\.lua'   absent.lua
expect "no file named"               64 'usage|FILE'
expect "a device"                    65 '/dev/zero'     /dev/zero
head -c 104857600 /dev/zero | tr '\0' '-' > long.lua
expect "100 MB"                      65 'long\.lua'     long.lua
expect "100 MB beside a good one"    65 'PASS.*good\.lua' long.lua good.lua
rm -f long.lua
mkfifo pipe.lua
expect "a pipe that nobody writes"   65 'pipe\.lua'     pipe.lua
ln -s loop.lua loop.lua
expect "a link to itself"            65 'loop\.lua'     loop.lua
cp good.lua unreadable.lua && chmod 000 unreadable.lua
if [ "$(id -u)" -ne 0 ]; then
    expect "an unreadable file"      65 'unreadable\.lua'  unreadable.lua
elif command -v setpriv > /dev/null && chmod 755 "$dir" && setpriv --reuid=65534 --clear-groups "$locksim" --version \
    > /dev/null 2>&1; then
    setpriv --reuid=65534 --clear-groups "$locksim" run unreadable.lua > out 2>&1 < /dev/null
    if [ $? -eq 65 ] && grep -q 'unreadable\.lua' out; then ok; else bad "an unreadable file" "$(cat out)"; fi
fi

# The command line.
expect "unknown option"      64 'no-such'   --no-such good.lua
expect "number that is none" 64 'seed'      --seed nine good.lua
expect "number too large"    64 'runs'      --runs 99999999999999999999999 good.lua
expect "option cut off"      64 'seed'      good.lua --seed
expect "schedule to nobody"  65 'Z'         good.lua --schedule 'Z'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
