-- A thread that is interrupted while it waits in lock() swallows the interrupt and returns, as if it had the lock. The
-- caller goes on into the critical section, where the holder still is.
local redisson = require "redisson.lock"

return {
  title   = "R27: an interrupted lock() returns as if it had acquired",
  exhibit = { bug = "#1593", library = "Redisson", versions = "up to 3.10.5",
              what = "an interrupted lock() returns without the lock" },
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { interrupt = { 1, of = "B" } },
  expect  = {
    strict_mutual_exclusion = "violated",
    mutual_exclusion = "violated",
    matches_spec = "violated",
    no_leak = "violated",
  },
  must_see = { "interrupt", "wait" },
  patch   = {
    ["redisson/client/lock.lua"] = [[
@@
   local me, name, family = self.me, self.name, self.family
-  local lease_ms = not family.forgets_lease and (opts and opts.lease_ms or self.lease_ms) or nil
+  local lease_ms = opts and opts.lease_ms or self.lease_ms
   local interruptibly = opts and opts.interruptibly and not (family.deaf and lease_ms == nil)
@@
     if interrupted and not interruptibly then
-      interrupted = park_again(entry, ttl_ms)
+      pubsub.unsubscribe(me, entry)            -- lock() swallows it and returns, and the caller goes on
+      return steps.held(self, lease_ms)
     end
]],
  },

  -- The twin of R27: an interrupted waiter goes on waiting.
  twin = {
    title   = "R27 mended: lock() returns with the lock or not at all",
    expect  = {
      strict_mutual_exclusion = "holds",
      mutual_exclusion = "holds",
      matches_spec = "holds",
      -- Open to this day, and an exhibit of its own: R28.
      no_leak = "violated",
    },
    patch   = {},
  },
}
