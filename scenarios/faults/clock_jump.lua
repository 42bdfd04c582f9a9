-- A client's clock jumps ahead: it takes the head of the fair queue for dead and drops it, and the order of asking is lost.
local fair = require "redisson.fair"

return {
  title   = "fault clock_jump: a client's clock jumps",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = fair.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { clock_jump = { 1, ms = 600000 } },
  explore = { random = 200 },
  expect  = {
    strict_mutual_exclusion = "holds",
    fifo = "violated",
  },
  must_see = { "clock_jump" },
}
