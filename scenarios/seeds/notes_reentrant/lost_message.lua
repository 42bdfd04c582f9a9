-- There is no unlock message at all: the waiter must find out by itself.
local notes = require "notes.reentrant"

return {
  title   = "notes/reentrant: the message is lost",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = notes.lock(me, "order:42")
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
    -- There is no message to lose: the faulty release never sends one. The waiter sleeps 30 s beside a free lock.
    prompt = { "violated", idle_ms = 1000 },
    -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
    script_health = "violated",
  },
  must_see = { "wait" },
}
