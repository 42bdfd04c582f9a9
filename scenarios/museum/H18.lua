-- A lease ends before the unlock. The script finds no lock, says so, and notes "released" in the unlock's latch all the same. When that
-- answer is lost, the client sends the unlock again, and is told that it counted: nobody learns that the lock was lost. Open to this day.
local redisson = require "redisson.read_write"

return {
  title   = "H18: an unlock of nothing succeeds the second time",
  exhibit = { bug = "not reported", library = "Redisson", versions = "up to 4.7.0",
              what = "an unlock of a vanished lock, sent again, reports success", twin = "H18_mended.lua" },
  replicas = 1,                                -- with a single server an unlock is not sent again
  clients = { "A", { "B", start_ms = 2000 } },
  program = function(me)
    local side = me.client == "A" and "write" or "read"
    local lock = redisson[side](me, "order:42", { lease_ms = 1000, replicas = 1 })
    if lock:acquire() then
      me:work(1500)
      lock:release()
    end
  end,
  faults  = { lose_reply = 1 },
  expect  = {
    matches_spec = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS, in any version.
    script_health = "violated",
  },
  must_see = { "lose_reply", "resend", "expiry" },
}
