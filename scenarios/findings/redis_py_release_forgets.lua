-- redis-py's Lock.release() forgets its token before it asks Redis. When the request is lost, or its answer late, the
-- caller gets an exception, and every further release() says that the lock is not held, without asking: no client can
-- free it any more. A lock without a timeout, which is what redis-py makes unless told otherwise, is gone for good.
--
-- How likely: one broken connection at a release, and a caller that tries again, as it should. With a timeout the
-- others wait until it has run out. Since release 6.0 the client itself tries four times before its caller hears of it.
-- The mend: forget the token when an answer is there: the twin. Checked against redis-py 4.3.4 by a trace of its client
-- (07_release_lost), which is Debian 12's python3-redis, and by reading Lock.release, which is the same in 6.1.0 and
-- 6.4.0.
local driver = require "redis_py.lock"

return {
  title   = "redis-py: a release that got no answer cannot be tried again",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = false, retry_ms = 1000 })
    if lock:acquire() then
      me:work(100)
      for _ = 1, 2 do
        if lock:release() then
          return
        end
      end
    end
  end,
  faults  = { lose_request = { 1, of = "A", op = "release" } },
  expect  = { no_deadlock = "violated", lease_set = "violated" },
  must_see = { "lose_request", "timeout" },

  twin = {
    title   = "redis-py: a release is tried again",
    expect  = { no_deadlock = "holds", lease_set = "violated", no_leak = "holds" },
    patch   = {
      ["redis_py/lock.lua"] = [[
@@
     return nil, "not held"
   end
-  self.token = nil
   local reply, problem = run(self, release, { token }, "release")
   if problem then
     return nil, evaluate.reason(problem)
-  elseif reply == 1 then
+  end
+  self.token = nil
+  if reply == 1 then
     me:released(name, { count = 0 })
]],
    },
  },
}
