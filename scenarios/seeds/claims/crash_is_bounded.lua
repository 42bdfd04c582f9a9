-- Seeds 000 and 004: the expiry keeps a crash from locking all clients out for ever. Confirmed: one lease after the
-- crash the lock is free.
local redisson = require "redisson.lock"

return {
  title   = "claim of seeds 000 and 004: a crash does not lock for ever",
  clients = { "A", { "B", start_ms = 100 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    local asked_ms = me:now()
    lock:acquire()
    -- The last renewal may lie right before the crash: 30 s from there, and a millisecond since the deadline itself
    -- still counts.
    assert(me:now() - asked_ms <= 40001)
    me:work(10000)
    lock:release()
  end,
  faults  = { crash = { 1, of = "A" } },
  expect  = { no_deadlock = "holds", no_lost_wakeup = "holds", no_leak = "holds" },
  must_see = { "crash", "expiry" },
}
