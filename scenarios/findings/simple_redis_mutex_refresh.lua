-- refreshTimeout() of simple-redis-mutex asks whose lock it is, and then lets it live longer, in two requests. When
-- the lease ends between the two and the next one takes the lock, the next one's lock gets another end: by a caller
-- with a longer timeout it holds for too long when it dies, by one with a shorter timeout it loses the lock while it
-- works.
--
-- How likely: a client that refreshes in the last milliseconds of a lease does so each time; a pause or a slow
-- request does the rest. The mend: compare and prolong in one script: the twin. Checked against simple-redis-mutex
-- 3.0.0 by a trace of its client (08_refreshes_anothers) and by reading refreshTimeout in dist/index.js; the documents
-- say that it has no effect once the lock has expired.
local driver = require "simple_redis_mutex.lock"

return {
  title   = "simple-redis-mutex: refreshTimeout prolongs the lock of the next one",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 950 } },
  program = function(me)
    local first = me.client == "A"
    local lock = driver.lock(me, "order:42", { lease_ms = first and 1000 or 3000 })
    local got = lock:try_acquire()
    if not got then
      me:sleep(400)
      got = lock:try_acquire()
    end
    if got then
      me:work(900)
      if first then
        lock:refresh()
      end
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A", op = "look" } },
  -- A process keeps its subscription, and the script takes its channel for a key: see
  -- scenarios/faults/simple_redis_mutex.lua. A paused holder goes on with a lock that is over, which counts as a reply
  -- that is not so.
  expect  = {
    owner_only = "violated", lease_set = "violated", matches_spec = "violated", script_health = "violated",
    no_leak = "violated",
  },
  must_see = { "pause", "renewal", "expiry" },

  twin = {
    title   = "simple-redis-mutex: refreshTimeout compares in the script",
    faults  = { pause = { 1, of = "A", op = "renew" } },
    expect  = { owner_only = "holds", lease_set = "holds" },
    patch   = {
      ["simple_redis_mutex/lock.lua"] = [[
@@
 local release = script "simple_redis_mutex/lock/release.lua"
+local renew = script "basic/set_nx/renew.lua"

@@
   end
-  local value, problem = me:call("GET", key_of(self.name), { op = "look", lock = self.name })
+  local still, problem = me:eval(renew, { key_of(self.name) }, { grant.value, self.lease_ms },
+                                 { op = "renew", lock = self.name, lease = self.lease_ms })
   if problem then
     return nil, evaluate.reason(problem)
-  elseif value ~= grant.value then
+  elseif still == 0 then
     grant.released = true
-    return true
-  end
-  local _
-  _, problem = me:call("PEXPIRE", key_of(self.name), self.lease_ms,
-                       { op = "renew", lock = self.name, lease = self.lease_ms })
-  if problem then
-    return nil, evaluate.reason(problem)
   end
]],
    },
  },
}
