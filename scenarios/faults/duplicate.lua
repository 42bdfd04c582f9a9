-- The network delivers an acquire twice: a reentrant lock counts the copy as a second hold that nobody releases.
local redisson = require "redisson.lock"

return {
  title   = "fault duplicate: a request is executed twice",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { duplicate = 1 },
  explore = { random = 300 },
  expect  = {
    strict_mutual_exclusion = "holds",
  },
  must_see = { "duplicate" },
}
