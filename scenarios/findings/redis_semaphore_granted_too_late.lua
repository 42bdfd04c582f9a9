-- RedlockMutex of redis-semaphore waits for the answers of all its servers and counts them; it does not look at how
-- long that took. When the last one comes after the lease, acquire() succeeds though the keys are gone, and the next
-- client is inside already. With the refresh, as it comes, the caller is told up to four fifths of a lease later that
-- the lock is lost.
--
-- How likely: one slow server is enough, for the slowest answer counts, and leases of seconds are what people set.
-- Redis' description of the algorithm has the client compare the time. The mend: compare, and give back: the twin.
-- Checked against redis-semaphore 5.8.0 by a trace of its client (33_rmutex_granted_too_late: told at 1500 ms of a
-- lease that ended at 1000 ms) and by reading lib/redlockMutex/acquire.js. A group of one server shows it, too.
local mutex = require("redis_semaphore.over").mutex(1, { lease_ms = 500 })

return {
  title   = "redis-semaphore: RedlockMutex is granted when it is over",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    local lock = mutex.lock(me, "order:42", { retry_ms = 400, wait_ms = 1500, refresh_ms = 0 })
    local began_ms = me:now()
    if lock:acquire() then
      me:work(math.max(0, math.min(5, began_ms + 500 - me:now())))
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A", op = "vote" } },
  expect  = { strict_mutual_exclusion = "violated" },
  must_see = { "pause", "expiry" },

  twin = {
    title   = "redis-semaphore: an acquisition that is over is given back",
    expect  = { strict_mutual_exclusion = "holds" },
    program = function(me)
      local lock = mutex.lock(me, "order:42", { retry_ms = 400, wait_ms = 1500, refresh_ms = 0 })
      if lock:acquire() then
        me:work(5)
        lock:release()
      end
    end,
    patch   = {
      ["redis_semaphore/over.lua"] = [[
@@
 local function ask(self, me)
-  return is_majority(self, (ask_all(self, me, all_servers(self), self.kind.requests.acquire(self, "vote", me:now()))))
+  local began_ms = me:now()
+  local granted = is_majority(self,
+                              (ask_all(self, me, all_servers(self),
+                                       self.kind.requests.acquire(self, "vote", began_ms))))
+  return granted and me:now() - began_ms < self.opts.lease_ms - 10
 end
]],
    },
  },
}
