# faults.sh - `locksim run --faults`: other faults than the file's, the same way each time, and a replay that has them,
# too.

mkdir my
cat > my/lock.lua <<'X'
local redisson = require "redisson.lock"
return {
  title   = "no faults of its own",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  expect  = { strict_mutual_exclusion = "holds" },
}
X
run run my/lock.lua
ends 0 "without faults"
run run my/lock.lua --faults pause=1
ends 1 "with a pause"
check "the output says how to get it again" out_has "options --faults pause=1"
check "what a verdict means names the faults" out_has "faults pause<=1"
saved=.locksim/out/my.lock.LK002.lua
check "the counterexample keeps the faults" grep -qF 'faults    = "pause=1"' $saved
cp "$out" first
cp $saved saved
run run my/lock.lua --faults pause=1
check "the same bytes again" cmp -s first "$out"
check "the same counterexample again" cmp -s saved $saved
run replay $saved
ends 1 "the replay has the faults"
sed -i 's/"pause=1"/"paws=1"/' $saved
run replay $saved
ends 65 "a replay of faults that there are not"
check "how they are written is said" err_has 'faults are written like "crash=1,pause=2"'

# What cannot be seen does not pass: there is no replica that could take over.
run run my/lock.lua --faults failover
ends 3 "a fault that never happens"
check "it is named" out_has 'it never saw "failover"'

# A scenario's own faults go; sampling has the others, too.
run run "$ROOT/scenarios/faults/lag.lua" --faults none
ends 0 "none: the file's own faults are gone, and nobody has to see them"
run run my/lock.lua --faults pause --runs 300 --strategy pct
ends 1 "sampled"

# A grant that is learned of late is compared with the promises before it by tables as by a whole world: two pauses
# break no promise.
run run "$ROOT/scenarios/faults/simple_string.lua:crash.two" --faults pause=2 --max-states 200000 --quiet
ends 1 "two pauses"
check "two pauses: beliefs overlap" out_has 'strict_mutual_exclusion  LK002'
check "two pauses: promises do not" out_lacks 'LK001'

# Threads of one process change places before they touch what they share: look, then set.
cat > my/threads.lua <<'X'
local lock = require "LOCK"
return {
  title   = "two threads look into a cache before they lock",
  clients = { { "A", threads = 2 } },
  program = function(me)
    local mine = lock.lock(me, "order:42", { lease_ms = 2000, lease_s = 2 })
    if mine:try_acquire() then
      me.process.served = (me.process.served or 0) + 1
      mine:release()
    end
  end,
}
X
for shipped in redis_py.lock basic.set_nx simple.string simple.counted redisson.lock redisson.fair; do
    sed "s/LOCK/$shipped/" my/threads.lua > my/$shipped.lua
    run run my/$shipped.lua --faults preempt=1 --max-states 20000
    ends 0 "$shipped keeps its promises where threads are preempted"
done
# What is one atomic call upstream: a latch's gate that opens while a waiter comes, and a subscription that is confirmed
# just as its caller goes.
for case in redisson_latch redisson_fenced_interrupted; do
    run run "$ROOT/scenarios/faults/preempt.lua:$case"
    ends 0 "$case keeps its promises where threads are preempted"
done
sed "s/LOCK/redisson.fair_3_13/" my/threads.lua > my/unsaid.lua
run run my/unsaid.lua --faults preempt=1
ends 4 "a driver that does not say its runtime is not preempted"
check "it is named" out_has 'the driver of lock "order:42" does not say in what its client'
run run my/unsaid.lua
ends 0 "and needs not say it otherwise"
