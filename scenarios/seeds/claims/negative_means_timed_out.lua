-- Seed 003: a negative answer means that the wait timed out or failed. Refuted: it goes to a waiter that is alive and
-- well, whenever the holder's watchdog has kept the lock alive past the waiter's first guess; and the client then
-- parks without limit. Here the waiter is asked for its lock again 31 s after it queued: deadline - wait - now = 30000
-- - 31000.
local acquire = script "redisson/fair_3_13/acquire.lua"
local renew = script "redisson/lock/renew.lua"

return {
  title   = "claim of seed 003: negative or zero means timed out",
  clients = { "A" },
  program = function(me)
    local keys = { "order:42", "redisson_lock_queue:{order:42}", "redisson_lock_timeout:{order:42}" }
    local function ask(owner)
      return me:eval(acquire, keys, { 30000, owner, 300000, me:now() }, { op = "ask" })
    end
    assert(ask("holder") == nil)
    assert(ask("waiter") == 30000)             -- queued; its slot lasts 330 s
    for _ = 1, 3 do
      me:sleep(10000)
      me:eval(renew, { "order:42" }, { 30000, "holder" })
    end
    assert(ask("waiter") == 0)                 -- not timed out: still queued, and for 300 s more
    me:sleep(1000)
    assert(ask("waiter") == -1000)
    assert(me:call("LINDEX", keys[2], 0) == "waiter")
    assert(tonumber(me:call("ZSCORE", keys[3], "waiter")) == me:now() - 31000 + 330000)
  end,
}
