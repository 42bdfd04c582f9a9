-- tryLock(wait, lease) of a group takes each lock with twice the wait as its lease, since the first must outlast the waiting for the
-- last, and sets the caller's own lease at the end, of all at once. Whether that worked nobody looks at. Here one of these requests is lost: A
-- is told that he has X and Y for ten seconds, and Y ends after four. B, who needs Y alone, gets it while A works.
--
-- How likely: one request without effect among those that end each tryLock with a wait and a lease longer than twice the wait: a response
-- time-out, a dropped connection, a failover at that moment. The mend: look at the answers, and where one is missing give the locks
-- back and say no (multi_lock_unset_lease_mended/).
local group = require "redisson.multi"
local redisson = require "redisson.lock"

return {
  title   = "nobody looks whether a multi-lock's lease was set",
  servers = 2,
  clients = { "A", { "B", start_ms = 1000 } },
  program = function(me)
    local x, y = redisson.lock(me:on(1), "X"), redisson.lock(me:on(2), "Y")
    if me.client == "B" then
      if y:acquire({ lease_ms = 20000 }) then
        me:work(100)
        y:release()
      end
      return
    end
    local both = group.lock(me, "X and Y", { x, y })
    if both:try_acquire(2000, 10000) then
      me:work(5000)
      both:release()
    end
  end,
  faults  = { lose_request = { 1, of = "A" } },
  expect  = {
    lease_set = "violated",
    strict_mutual_exclusion = "violated",
  },
  must_see = { "lose_request", "expiry" },
}
