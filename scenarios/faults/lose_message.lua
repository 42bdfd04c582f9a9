-- The message "it is free" never arrives: the waiter sleeps until the holder's lease would have ended.
local redisson = require "redisson.lock"

return {
  title   = "fault lose_message: the unlock message is lost",
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { lose_message = 1 },
  expect  = {
    -- B parks for what A's lease had left when B last asked, and then asks by itself: late, by up to 30 s, but not
    -- lost.
    no_lost_wakeup = "holds",
    prompt = { "violated", idle_ms = 1000 },
  },
  must_see = { "lose_message" },
}
