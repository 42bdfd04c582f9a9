-- The unlock message is lost: the waiter must find out by itself.
local redisson = require "redisson.fair_3_13"

return {
  title   = "redisson/fair_3_13: the message is lost",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { lose_message = 1 },
  expect  = {
    -- A lost message makes nobody believe anything.
    strict_mutual_exclusion = "holds",
    -- The waiter never sleeps without limit.
    no_lost_wakeup = "holds",
    -- It sleeps as long as the holder's lease could still run when it asked: up to 30 s beside a free lock.
    prompt = { "violated", idle_ms = 1000 },
  },
  must_see = { "lose_message", "wait" },
}
