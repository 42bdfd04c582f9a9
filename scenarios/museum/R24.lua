-- The answer to an acquire is late, the client sends it again, and the second run counts as a second hold. The one unlock then leaves
-- one hold over; and because only the last unlock told the watchdog to stop, it renewed a lock that nobody held any more, for ever.
local redisson = require "redisson.lock"

return {
  title   = "R24: a hold too many is renewed for ever",
  exhibit = { bug = "#1966", library = "Redisson", versions = "up to 3.10.4",
              what = "a request sent twice is renewed for ever", twin = "R24_mended.lua" },
  clients = { "A", { "B", start_ms = 10 } },
  replicas = 1,
  program = function(me)
    local lock = redisson.lock(me, "order:42", { replicas = 1 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { lose_reply = { 1, of = "A" } },
  expect  = { prompt = { "violated", idle_ms = 60000 }, no_deadlock = "violated" },
  must_see = { "lose_reply", "wait" },
}
