-- The second half of R06: since 3.32.0 the head of the queue may lack a deadline, but whoever wanted to queue still reckoned with the last
-- one's. Where it was lost nobody new could queue: each acquire was a script error.
local redisson = require "redisson.fair"

return {
  title   = "R06b: the last one's deadline is lost, and nobody can queue",
  exhibit = { bug = "#4153 #5989", library = "Redisson", versions = "3.32.0 to 3.44.0",
              what = "acquire reckons with a lost deadline", twin = "R06b_mended.lua" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { evict = { 1, of = "redisson_lock_timeout:{order:42}" } },
  expect  = {
    script_health = "violated",
    -- These the twin has, too.
    matches_spec = "violated", no_leak = "violated", no_deadlock = "violated", no_busy_wait = "violated",
  },
  must_see = { "evict" },
}
