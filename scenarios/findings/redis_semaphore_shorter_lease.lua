-- redis-semaphore's Semaphore keeps for each holder when it was last heard of, and an acquire drops all whose lease is
-- over: by its own client's lease. A client with a lockTimeout of 1 s drops a holder of 10 s that was heard of 2 s ago,
-- and is let in beside it; and its PEXPIRE makes the whole set end with its own lease.
--
-- How likely: at every turn, where two programs, or two releases of one, use one semaphore with different
-- lockTimeouts; the documents say that lockTimeout should be greater than the differences of clocks, not that all need
-- the same. The mend: the same for all: the twin. (Or let each member say when it ends.) Checked against
-- redis-semaphore 5.8.0 by a trace of its client (14_semaphore_shorter_lease) and by the cases of its script
-- (semaphore.acquire).
local pool = require("redis_semaphore.semaphore").of { permits = 1, lease_ms = 10000 }

local function program(me, lease_ms)
  local lock = pool.lock(me, "pool", { lease_ms = lease_ms, retry_ms = 400, wait_ms = 3000, refresh_ms = 0 })
  if lock:acquire() then
    me:work(me.client == "A" and 5000 or 100)
    lock:release()
  end
end

return {
  title   = "redis-semaphore: a shorter lease drops a holder of a longer one",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 2000 } },
  program = function(me)
    program(me, me.client == "A" and 10000 or 1000)
  end,
  expect  = { mutual_exclusion = "violated", strict_mutual_exclusion = "violated", owner_only = "violated" },

  twin = {
    title   = "redis-semaphore: one lease for all",
    program = function(me)
      program(me, 10000)
    end,
    expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds", owner_only = "holds" },
    must_see = { "contention" },
  },
}
