-- A writer with a long lease re-enters the write lock with a short one, and the hash then lived for the short
-- one only: the next writer came in while the first was promised more.
local redisson = require "redisson.read_write"

return {
  title   = "R13: a re-entry shortens the write lease",
  exhibit = { bug = "#1110", library = "Redisson", versions = "up to 3.5.4",
              what = "a nested write lock with a short lease shortens the outer one" },
  clients = { "A", "B" },
  program = function(me)
    local write = redisson.write(me, "order:42")
    write:acquire { lease_ms = 10000 }
    write:acquire { lease_ms = 1000 }
    me:work(5000)
    write:release()
    write:release()
  end,
  expect  = {
    mutual_exclusion = "violated",
    -- The hash ends before what the outer grant was promised; which is how it comes about.
    lease_set = "violated",
  },
  must_see = { "re-entry", "expiry" },
  patch   = {
    ["redisson/read_write/acquire_write.lua"] = [[
@@
   redis.call('hincrby', lock, writer, 1)
-  -- Added to what is left, so that no earlier hold gets less than it was promised.
-  redis.call('pexpire', lock, redis.call('pttl', lock) + lease_ms)
+  redis.call('pexpire', lock, lease_ms)
   return nil
]],
  },

  -- The twin of R13: after 3.5.4 a re-entry adds its lease to what is left.
  twin = {
    title   = "R13 mended: a re-entry adds its lease",
    expect  = {
      mutual_exclusion = "holds",
      -- No grant is cut short, but the inner one gets 11 s where it asked for 1 s.
      lease_set = "violated",
    },
    must_see = { "re-entry", "wait" },
    patch   = {},
  },
}
