# overlay.sh - a scenario's overlay folder: its files come before those beside it, for this scenario alone, in a run and
# in a replay; and what lies in it is never taken for a scenario.

mkdir -p m/shelf m/R03/shelf
cat > m/shelf/lock.lua <<'X'
local acquire = script "shelf/acquire.lua"
local M = {}
function M.view(redis, lock)
  local owner = redis.call("GET", lock)
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = redis.call("PTTL", lock), keys = owner and { lock } or {} }
end
function M.take(me)
  me:observe("L", M)
  me:wants("L")
  if me:eval(acquire, { "L" }, { me.id }) == 1 then
    me:granted("L", { lease = 1000 })
    me:work(10)
    me:released("L")
    me:call("DEL", "L", { op = "release" })
  else
    me:gave_up("L")
  end
end
return M
X
echo "return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', 1000) and 1 or 0" > m/shelf/acquire.lua
echo "redis.call('set', KEYS[1], ARGV[1], 'PX', 1000) return 1" > m/R03/shelf/acquire.lua
cat > m/R03.lua <<'X'
-- R03.lua: it takes a lock that is taken.
local lock = require "shelf.lock"
return {
  start_ms = 0, clients = { "A", "B" }, program = function(me) lock.take(me) end,
  exhibit = { bug = "#1", twin = "R03_mended.lua" },
  expect = { mutual_exclusion = "violated", strict_mutual_exclusion = "violated", owner_only = "violated" },
}
X
cat > m/R03_mended.lua <<'X'
-- R03_mended.lua: the same, mended.
local faulty = require "R03"
return { start_ms = 0, clients = faulty.clients, program = faulty.program }
X
echo "return { program = function(me) end }" > m/R03/trap.lua

run run m --verbose
ends 0 "an exhibit and its twin"
check "two scenarios ran" out_has "2 scenarios"
check "the twin passes" grep -q '^PASS  m/R03_mended.lua' "$out"
check "the overlay's script ran in the exhibit" out_has "m/R03/shelf/acquire.lua"
run replay .locksim/out/m.R03.LK001.lua
ends 1 "the counterexample replays with the overlay"
run list scenarios m
check "a file of the overlay is no scenario" out_lacks trap
check "both scenarios are listed" test "$(wc -l < "$out")" -eq 2
rm m/R03/trap.lua
run run m/R03
ends 65 "an overlay folder by itself"
check "its scenario is named" out_has "overlay folder of m/R03.lua"
rm -r m/R03/shelf
run run m/R03.lua
ends 1 "without the overlay the exhibit does not break"

# A program that is built anew while it runs is found no more where it was; the scripts beside it are.
mkdir -p moved/build moved/sim
cp "$LOCKSIM" moved/build/locksim
cp -r "$ROOT/scripts" moved/scripts
exec 9< moved/build/locksim
rm moved/build/locksim
/proc/self/fd/9 run "$ROOT/scenarios/tour" > "$out" 2> "$err" 9<&9
status=$?
exec 9<&-
check "a program that was built anew meanwhile finds its scripts" out_lacks "cannot find"
check "and searches" out_has "redisson"
