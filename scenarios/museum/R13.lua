-- A writer with a long lease takes the write lock once more with a short one, and the hash then lived for the short one only: the next
-- writer came in while the first was promised more.
local redisson = require "redisson.read_write"

return {
  title   = "R13: a re-entry shortens the write lease",
  exhibit = { bug = "#1110", library = "Redisson", versions = "up to 3.5.4",
              what = "a nested write lock with a short lease shortens the outer one", twin = "R13_mended.lua" },
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
}
