-- A client whose server has replicas sends an acquire again when no answer comes, though its script is one that must
-- not run twice. The answer is lost, the second run counts a second hold, and the one unlock leaves one: the lock
-- stays taken for a whole lease after it was given back, which the partial unlock even began anew. unlock() says
-- nothing of it.
--
-- How likely: one lost or late answer (a time-out of 3 s) to an acquire, in any mode but the single server's; the
-- unlock latch of 3.24.0 was made against the same of unlock. How long it hurts: the lease, for a watchdog's lock 30
-- s. What would mend it: a latch for the acquire too, as unlock has one. To send no such script twice, as with a
-- single server, leaves the lock taken as long, but tells its caller so. Checked against redisson 4.7.0 by a trace of
-- the real client (replica_05).
local redisson = require "redisson.lock"

return {
  title    = "an acquire that is sent again counts twice",
  replicas = 1,
  clients  = { "A", { "B", start_ms = 10 } },
  program  = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 60000, replicas = 1 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults   = { lose_reply = 1 },
  expect   = {
    prompt = { "violated", idle_ms = 10000 }, mutual_exclusion = "holds",
  },
  must_see = { "resend" },
}
