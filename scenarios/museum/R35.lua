-- A waiter asks, hears that the lock is held, subscribes, and parks. If the lock is freed before it has subscribed
-- no thread hears the message, and it sleeps beside a free lock until the lease that it was told of would have ended.
local redisson = require "redisson.lock"

return {
  title   = "R35: check, then subscribe, then sleep",
  exhibit = { bug = "#89", library = "Redisson", versions = "up to 1.1.5",
              what = "an unlock before the subscription is not heard" },
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    me:work(10)
    lock:release()
  end,
  expect  = { prompt = { "violated", idle_ms = 10000 } },
  must_see = { "wait" },
  patch   = {
    ["redisson/client/lock.lua"] = [[
@@
   local me, name, family = self.me, self.name, self.family
-  local lease_ms = not family.forgets_lease and (opts and opts.lease_ms or self.lease_ms) or nil
+  local lease_ms = opts and opts.lease_ms or self.lease_ms
   local interruptibly = opts and opts.interruptibly and not (family.deaf and lease_ms == nil)
@@
   while true do
-    -- Between the first answer and the subscription the lock may have been freed, unheard: so ask again before
-    -- parking.
+    local _, interrupted = park(entry, ttl_ms)
+    if interrupted and not interruptibly then
+      interrupted = park_again(entry, ttl_ms)
+    end
+    if interrupted then
+      pubsub.unsubscribe(me, entry)
+      return steps.failed(self, interrupted)
+    end
     ttl_ms, problem = steps.attempt(self, family.acquire, -1, lease_ms)
@@
     me:refused(name)
-    local _, interrupted = park(entry, ttl_ms)
-    if interrupted and not interruptibly then
-      interrupted = park_again(entry, ttl_ms)
-    end
-    if interrupted then
-      pubsub.unsubscribe(me, entry)
-      return steps.failed(self, interrupted)
-    end
   end
]],
  },

  -- The twin of R35: ask again once the subscription is confirmed.
  twin = {
    title   = "R35 mended: ask again after subscribing",
    expect  = { prompt = { "holds", idle_ms = 10000 } },
    patch   = {},
  },
}
