-- Since release 6.0 redis-py's client sends each request again that got no answer, three times unless told otherwise,
-- and its Lock does not know of it. An acquire whose answer was lost is refused by its own key the second time: A waits
-- for itself, until its lease is over; without a timeout, which is what redis-py makes unless told otherwise, for ever.
-- (acquire(blocking=False) says False then, and holds the lock. A release whose answer was lost frees the lock and
-- raises LockNotOwnedError. An extend counts twice.)
--
-- How likely: one connection that breaks between a request and its answer. Up to release 5 the caller got an exception,
-- and knew that the lock may be taken. The mend: a client that asks again and is refused checks whose value it is: the
-- twin; or Redis(retry=Retry(NoBackoff(), 0)). Checked against redis-py 6.1.0 by traces of its client, which is Debian
-- 13's python3-redis (10_acquire_again, 11_release_again), by `locksim drive --faults lose_reply=1`, and by reading
-- Redis._execute_command. 6.4.0 does the same in each of the traces; 4.3.4 and 3.5.3 send nothing again.
local driver = require "redis_py.lock"

return {
  title   = "redis-py: an acquire that is sent again waits for itself",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = false, retry_ms = 1000, retries = 3 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { lose_reply = { 1, of = "A", op = "acquire" } },
  expect  = { no_deadlock = "violated", lease_set = "violated" },
  must_see = { "lose_reply", "resend" },

  twin = {
    title   = "redis-py: a client that asks again looks whose value is there",
    expect  = { no_deadlock = "holds", no_leak = "holds", lease_set = "violated" },
    patch   = {
      ["redis_py/lock.lua"] = [[
@@
   if problem then
     return nil, problem
+  elseif reply == nil then
+    return me:call("GET", name, with(self, nil, "look", lease_ms)) == token
   end
   return reply == "OK"
]],
    },
  },
}
