-- The lease of an earlier hold stays in the lock object after the unlock, and the next lock() without a lease sends
-- it. A short one ends before the watchdog's first round, while the lock is held; a long one outlives a holder who
-- dies.
local redisson = require "redisson.lock"

return {
  title   = "R29b: an old lease outlives its unlock",
  exhibit = { bug = "#4818", library = "Redisson", versions = "3.15.2 to 3.19.1",
              what = "an old lease is used for the next hold" },
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 1500 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire { lease_ms = 1000 }
    lock:release()
    lock:acquire()
    me:work(2000)
    lock:release()
  end,
  expect  = { mutual_exclusion = "violated" },
  must_see = { "grant" },
  patch   = {
    ["redisson/client/lease.lua"] = [[
@@

--- An unlock was answered: 0 while holds remain, 1 when the lock is free, nil if there was nothing to give back, or no
--- answer came.
-function M.released(object, reply)
-  if reply ~= 0 then
-    M.reset(object)
-  end
+-- An unlock was answered: the field stays as it is.
+function M.released()
 end
]],
  },

  -- The twin of R29b: an unlock that frees the lock sets the field back.
  twin = {
    title   = "R29b mended: each hold has its own lease",
    expect  = { mutual_exclusion = "holds" },
    patch   = {},
  },
}
