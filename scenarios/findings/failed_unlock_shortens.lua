-- An unlock that hears no answer ends in an exception, and sets the lease that the lock object remembers back to the
-- watchdog's 30 s. A thread holds the lock three times, for a minute each. The answer to its first unlock is lost; its
-- second one leaves a hold over, and sends the 30 s as the time that this has left. The lock ends half a minute later,
-- in the middle of a hold that was promised a minute, and no watchdog renews it.
--
-- How likely: as likely as one unlock without an answer in 3 s, where a lock with a lease of more than 30 s is taken
-- within itself, and within that. The mend: reset the lease when an answer says that the lock is free (the twin).
-- Checked against redisson 4.7.0 by a trace of the real client (lock_42: the lease after an unlock without an answer),
-- and by recordings of its script (lock.release: a partial unlock sets the lease that it is given).
local redisson = require "redisson.lock"

return {
  title   = "a failed unlock shortens the hold that is left",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 34000 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if me.client == "A" then
      for _ = 1, 3 do
        lock:acquire { lease_ms = 60000 }
      end
      me:work(100)
      lock:release()
      lock:release()
      me:work(40000)
      lock:release()
    elseif lock:try_acquire(nil, 1000) then
      lock:release()
    end
  end,
  faults  = { lose_reply = { 1, of = "A", op = "release" } },
  expect  = { mutual_exclusion = "violated", lease_set = "violated" },
  must_see = { "re-entry", "lose_reply" },

  -- The same with our mend: an unlock without an answer leaves the lease as it is.
  twin = {
    title   = "a failed unlock changes no lease",
    expect  = { mutual_exclusion = "holds", lease_set = "holds" },
    patch   = {
      ["redisson/client/answers.lua"] = [[
@@
   lock.family.watchdog.cancel(task, lock.name, owner)
-  if not lock.family.keeps_lease then
+  if not lock.family.keeps_lease and problem == nil then
     lease.released(lock.object, reply)
   end
]],
    },
  },
}
