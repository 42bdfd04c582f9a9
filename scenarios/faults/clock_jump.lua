-- A client's clock jumps ahead: it considers the head of the fair queue dead and drops it, and the order of asking is
-- lost.
local fair = require "redisson.fair"

return {
  title   = "fault clock_jump: a client's clock jumps",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 20 } },
  program = function(me)
    local lock = fair.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { clock_jump = { 1, of = "C", ms = 600000 } },
  expect  = {
    -- C's clock is ten minutes fast. By that clock B, head of the queue, has outwaited its deadline; C's acquire drops
    -- B and goes first. The lock itself lives by the server's clock: still one at a time.
    strict_mutual_exclusion = "holds",
    fifo = "violated",
  },
  must_see = { "clock_jump" },
}
