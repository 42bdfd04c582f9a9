-- A holder who slept past his lease gives back a lock that has expired, been taken by another and been freed again. He is told that he
-- released it: so he never learns that he was not alone.
local redisson = require "redisson.lock"

return {
  title   = "R30a: the unlock of a vanished lock reports success",
  exhibit = { bug = "#2018", library = "Redisson", versions = "up to 3.10.5",
              what = "unlock of a vanished lock reports success", twin = "R30a_mended.lua" },
  clients = { "A", { "B", start_ms = 10 } },
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
}
