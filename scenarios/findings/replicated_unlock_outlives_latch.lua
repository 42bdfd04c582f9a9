-- An unlock that is sent again is known by its latch, a key that lives for 16 to 20 s: as long as four attempts of a
-- single request may take. With replicas each attempt waits a second longer, for its WAIT, and a fifth one may follow:
-- the fourth comes after 17 s at most, the fifth after 23 s. One that comes when the latch is gone gives back one hold
-- more. A holds the lock twice and unlocks once; three answers are lost; the fourth attempt frees the lock, and ends
-- its renewal. unlock() returns, A works on, and B comes in.
--
-- How likely: answers have to fail for 16 s while requests get through and the lock is held twice; rare, and then it
-- takes the lock away without a word. The mend: a latch that outlives all attempts (the twin).
-- Checked against redisson 4.7.0 by recordings of its script (lock.release: a request whose latch is gone is done
-- again), by traces of the real client (the latch's life: 16 s in spin_01, 20 s in lock_09; replica_05: sent again
-- after 5 s), and by reading CommandAsyncService.syncedEval (how often its batch is sent again).
local redisson = require "redisson.lock"

return {
  title    = "an unlock that is sent again outlives its latch",
  replicas = 1,
  clients  = { { "A", start_ms = 0 }, { "B", start_ms = 20000 } },
  program  = function(me)
    local lock = redisson.lock(me, "order:42", { replicas = 1 })
    if me.client == "A" then
      lock:acquire()
      lock:acquire()
      me:work(100)
      lock:release()
      me:work(10000)
      lock:release()
    elseif lock:try_acquire(nil, 1000) then
      lock:release()
    end
  end,
  faults  = { lose_reply = { 3, of = "A", op = "release" } },
  expect  = { mutual_exclusion = "violated", strict_mutual_exclusion = "violated" },
  must_see = { "re-entry", "resend", "lose_reply" },

  -- The same with our mend: a latch for as long as anything may be sent.
  twin = {
    title   = "an unlock's latch outlives its re-sent requests",
    expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds" },
    patch   = {
      ["redisson/client.lua"] = [[
@@
-local latch_least_ms, latch_most_ms = 16000, 20000
+local latch_least_ms, latch_most_ms = 30000, 30000
]],
    },
  },
}
