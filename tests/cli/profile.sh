# profile.sh - what a search will cost and what its states are made of: a profile on request, and unasked where a limit
# came first; how far a search is, on a terminal.

cat > counter.lua <<'Y'
return { title = "it counts for ever", clients = { "A", "B" }, program = function(me)
  while true do me:call("INCR", "n") end
end }
Y
cat > cube.lua <<'Y'
return { title = "64 states", start_ms = 0, clients = { "A", "B", "C" },
  program = function(me) for i = 1, 3 do me:step() end me:call("PING") end }
Y
cat > paused.lua <<'Y'
return { title = "crashes", start_ms = 0, clients = { "A", "B" }, faults = { crash = 1, pause = 1 },
  program = function(me) me:call("INCR", "n") me:sleep(10) end }
Y

run run counter.lua --max-states 3000
ends 2 "a limit of states"
check "what the states are made of is told unasked" out_has "  made   3,"
check "the key that counts has many values" grep -qE '^ +[0-9]+  if the key `n` had one value \(of [0-9,]+' "$out"
run run counter.lua --max-states 3000 --format json
check "it is in the JSON" python3 - "$out" <<'P'
import json, sys
p = json.load(open(sys.argv[1]))["results"][0]["profile"]
row = [r for r in p["parts"] if r["what"] == "the key `n`"][0]
assert row["kind"] == "part" and row["of"] == "servers" and row["values"] > 500, row
assert row["states_left"] < p["states"] / 10, row
assert 0 < p["looked_at"] <= p["states"] == 3000, p
P
cp "$out" once
run run counter.lua --max-states 3000 --format json
check "the same each time" cmp -s once "$out"

run run cube.lua
ends 0 "a search that ends"
check "nothing is told that nobody asked for" out_lacks "made"
run run cube.lua --profile
ends 0 "--profile"
check "equal clients are told together" out_has "if client A (B and C alike) never changed ("
run run paused.lua --faults crash=1
states=$(sed -n 's/.*exhaustive: \([0-9,]*\) states.*/\1/p' "$out")
run run paused.lua --faults crash=1,pause=1 --profile
check "without the pause there are at most as many as that" out_has "without the fault pause"
run run paused.lua --faults pause=1
states=$(sed -n 's/.*exhaustive: \([0-9,]*\) states.*/\1/p' "$out")
run run paused.lua --faults crash=1,pause=1 --profile
check "without the crash there are $states, as the search without it has" out_has " $states  without the fault crash"
run run cube.lua --profile --no-memo
ends 0 "where nothing is looked up there is no profile"
check "and none is shown" out_lacks "made"
run run cube.lua --max-states 20 --fail-fast
check "a verdict that a limit cut has one in every mode" out_has "made"

# Of six equal clients all orders are tried at many a look-up: a search of a second is not followed by minutes of this.
cat > six.lua <<'Z'
return { title = "six", clients = { "A", "B", "C", "D", "E", "F" }, start_ms = 0, faults = { crash = 1 },
  program = function(me)
    local lock = require "redisson.lock".lock(me, "order:42")
    if lock:acquire() then me:work(100) lock:release() end
  end }
Z
RUN_CPU_SECONDS=30 run run six.lua --max-states 10000 -j1
ends 2 "six equal clients"
check "it says what the states are made of" out_has "if client A (B, C, D, E and F alike) never changed"

# On a terminal: rate, depth with its growth, what waits, memory against the limit.
if command -v script > /dev/null; then
    script -qec "\"$LOCKSIM\" run counter.lua --max-memory 300M --color never" /dev/null > typed 2> "$err" || true
    tr '\r' '\n' < typed > "$out"
    check "the live line has the rate" grep -qE 'states/s  depth [0-9]+' "$out"
    check "the growth from level to level" grep -qE 'depth [0-9]+ \(x1\.00\)' "$out"
    check "what waits, and memory against the limit" grep -qE 'waiting  [0-9.]+ MiB of 300\.0 MiB' "$out"
    check "and how long memory lasts" out_has "memory lasts about"
fi
