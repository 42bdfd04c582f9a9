-- A thread that is interrupted while it waits in lock() swallows the interrupt and returns, as if it had the lock. The caller goes on
-- into the critical section, where the holder still is.
local redisson = require "redisson.lock"

return {
  title   = "R27: an interrupted lock() returns as if it had acquired",
  exhibit = { bug = "#1593", library = "Redisson", versions = "up to 3.10.5",
              what = "an interrupted lock() returns without the lock", twin = "R27_mended.lua" },
  clients = { "A", { "B", start_ms = 10 } },
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
}
