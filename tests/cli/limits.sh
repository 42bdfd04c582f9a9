# limits.sh - a search that must stop says why and what it covered: limits of states, memory and time, Ctrl-C, a machine
# without memory.

cat > endless.lua <<'Y'
return { title = "it counts for ever", clients = { "A", "B" }, program = function(me) while true do me:call("INCR", "n") end end }
Y
cat > cube.lua <<'Y'
return { title = "64 states", start_ms = 0, clients = { "A", "BB", "CCC" }, program = function(me) for i = 1, 3 do me:step() end end }
Y

run run cube.lua                                   # who only steps does nothing: VACUOUS
ends 3 "exhaustive unless said otherwise"
check "states are counted" out_has "exhaustive: 64 states"
run run cube.lua --max-states 64
ends 3 "as many states as allowed"
run run cube.lua --max-states 63
ends 2 "one state too many"
check "the limit is named" out_has "the limit of 63 states came first"
check "the depth is told" out_has "every way of up to 8"
check "what waits is told" out_has "3 of these states were not gone on from"
check "what is not broken is told" out_has "not broken so far: no_deadlock"
run run cube.lua --max-states 63 --format json
ends 2 "a limit in JSON"
check "JSON has the account" grep -q '"states_not_gone_on_from": 3' "$out"
check "JSON has the depth" grep -q '"longest": 8' "$out"
run run cube.lua --max-states 63 --format junit
check "JUnit has the limit" out_has 'message="the limit of 63 states came first"'
run run cube.lua --runs 5
check "--runs samples it" out_has "uniform: 5 runs"
sed 's/return {/return { explore = { random = 7 },/' cube.lua > sampled.lua
run run sampled.lua
check "a scenario may ask for a sample" out_has "uniform: 7 runs"
run run sampled.lua --exhaustive
check "--exhaustive visits every state" out_has "exhaustive: 64 states"
run run endless.lua --max-memory 1M
ends 2 "--max-memory"
check "the memory is told" out_has "the limit of 1.0 MiB of memory came first"
cp "$out" once
run run endless.lua --max-memory 1M
check "a limit of memory gives the same each time" cmp -s once "$out"
run run endless.lua --time-limit 1
ends 2 "--time-limit of an exhaustive search"
interrupt_after 70 run --jobs 1 endless.lua cube.lua
check "Ctrl-C ends an exhaustive search" out_has "it was interrupted"
check "and it says what was covered" out_has "every way of up"   # the line ends here where the numbers are long

# The machine gives no more: a process that may only have so much address space. Sanitizers need all of it.
if "$LOCKSIM" run cube.lua > "$out" 2> "$err" && (ulimit -v 400000 && "$LOCKSIM" run cube.lua > "$out" 2> "$err"); then
    for kilobytes in 70000 150000 300000; do
        status=0
        (ulimit -v $kilobytes && timeout -k 5 600 "$LOCKSIM" run --jobs 1 --max-memory 64G endless.lua cube.lua > "$out" 2> "$err") || status=$?
        ends 2 "$kilobytes kB of address space"
        check "$kilobytes kB: the account is there" out_has "the machine gave no more memory"
        check "$kilobytes kB: the next scenario runs" out_has "exhaustive: 64 states"
        status=0
        (ulimit -v $kilobytes && timeout -k 5 600 "$LOCKSIM" run --jobs 1 endless.lua > "$out" 2> "$err") || status=$?
        ends 2 "$kilobytes kB of address space, and the default limit"
    done
fi

# Large values: a run that moves megabytes at every step ends at its request.
cat > large.lua <<'Y'
return { title = "megabytes", clients = { "A" }, explore = { random = 1 }, program = function(me)
  local large = ("x"):rep(2000000)
  for i = 1, 5000 do me:call("SET", "k", large) me:sleep(1) end
end }
Y
run run large.lua
ends 4 "megabytes at every step"
check "the request is named" out_has "large.lua:3"
check "and what is too much" out_has "moved more than 2048 MiB of large values"

# Pops that wait, each with a connection of its own: one too many is the driver's mistake.
cat > pops.lua <<'Y'
return { title = "pops", clients = { "A" }, explore = { random = 1 }, program = function(me)
  for i = 1, 1025 do me:send("BLPOP", {"q"}, {0}) end
  me:sleep(1)
end }
Y
run run pops.lua
ends 4 "1025 pops that wait"
check "the request is named" out_has "pops.lua:2"
check "and what is too much" out_has "1024 of its pops wait at one server already"
for said in '"SELECT", 1' '"MULTI"' '"WATCH", "k"'; do
    cat > elsewhere.lua <<Y
return { title = "pops", clients = { "A" }, explore = { random = 1 }, program = function(me)
  me:call($said)
  me:call("BLPOP", "q", 0.1)
end }
Y
    run run elsewhere.lua
    ends 65 "a pop behind $said"
    check "behind $said: the pop is named" eval \
        'grep -qF "elsewhere.lua:3" "$out" && grep -qF "which were said on another connection" "$out"'
done

# A folder that cannot be made is said once, not for each property.
cat > broken.lua <<'Y'
return { title = "two properties", clients = { "A", "B" }, program = function(me)
  me:granted("L", { lease = 50 }) me:granted("L", { lease = 10 }) me:step() me:released("L")
end, expect = { strict_mutual_exclusion = "holds" } }
Y
touch blocked
run run broken.lua --out blocked/deep
ends 64 "a folder that cannot be made"
check "two properties are broken" test "$(grep -c "^FAIL  broken.lua" "$out")" -eq 2
check "it is said once" test "$(grep -c "cannot make this folder" "$err")" -eq 1

# Where nothing may be written, that is no mistake of usage: nobody named the folder, and the way out is told.
if [ -d /sys/kernel ] && ! mkdir /sys/kernel/locksim 2> /dev/null; then
    run run broken.lua --out /sys/kernel/locksim
    ends 74 "a folder in which nobody may write"
fi
mkdir closed
touch closed/.locksim
cp broken.lua closed/
check "a folder of ours that cannot be made: elsewhere" eval '(cd closed && "$LOCKSIM" run broken.lua 2>&1 > /dev/null) |
    grep -qF -- "--out DIR saves elsewhere"'
