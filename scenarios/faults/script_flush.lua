-- Redis forgets its scripts: a client that trusts EVALSHA alone could neither take nor give back its lock.
local redisson = require "redisson.lock"

return {
  title   = "fault script_flush: the server forgets its scripts",
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { script_flush = 1 },
  expect  = {
    -- Redisson's client answers NOSCRIPT with the script's text and asks again. Nothing was executed before, so
    -- nothing is lost but a round trip.
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1 },
  },
  must_see = { "script_flush" },
}
