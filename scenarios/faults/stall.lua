-- The holder's thread stands past its lease, while its process goes on: the watchdog keeps the lock for it.
local redisson = require "redisson.lock"

return {
  title   = "fault stall: the holder's thread stands",
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { stall = { 1, of = "A" } },
  expect  = {
    -- Between the answer and the watchdog's start no thread of the caller stands: a thread of Netty does both. So A's
    -- lease never ends while A believes to hold it, however long A's thread stands; compare pause.lua.
    mutual_exclusion = "holds",
    strict_mutual_exclusion = "holds",
  },
  must_see = { "stall", "renewal" },
}
