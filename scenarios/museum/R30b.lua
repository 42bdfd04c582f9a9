-- The same in the fair lock, to this day: its unlock calls a lock released that has vanished, whoever held it.
local redisson = require "redisson.fair"

return {
  title   = "R30b: the fair lock calls a vanished lock released",
  exhibit = { bug = "#2018", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "unlock of a vanished fair lock reports success", twin = "R30b_mended.lua" },
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 1000 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A" } },
  expect  = { matches_spec = "violated", no_leak = "violated" },
  must_see = { "pause", "expiry" },
}
