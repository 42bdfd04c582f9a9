-- A holder that slept past its lease gives back a lock that has expired, been taken by another and been freed again. It
-- is told that it released it: so it never learns that it was not alone.
local redisson = require "redisson.lock"

return {
  title   = "R30a: the unlock of a vanished lock reports success",
  exhibit = { bug = "#2018", library = "Redisson", versions = "up to 3.10.5",
              what = "unlock of a vanished lock reports success" },
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 1000 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A" } },
  expect  = { matches_spec = "violated" },
  must_see = { "pause", "expiry" },
  patch   = {
    ["redisson/lock/release.lua"] = [[
@@
   return tonumber(decided)
+end
+if redis.call('exists', lock) == 0 then
+  redis.call(publish, channel, message)
+  return 1
 end
]],
  },

  -- The twin of R30a: a client that gives back what it has lost is told so.
  twin = {
    title   = "R30a mended: a client that lost the lock is told so",
    expect  = { matches_spec = "holds" },
    patch   = {},
  },
}
