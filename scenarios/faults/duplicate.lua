-- The network delivers an acquire twice: a reentrant lock counts the copy as a second hold that nobody releases.
local redisson = require "redisson.lock"

return {
  title   = "fault duplicate: a request is executed twice",
  clients = { "A", { "B", start_ms = 10 } },
  start_ms = 0,                        -- all at once: with open starts the larger cases have many millions of states
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { duplicate = { 1, of = "A" } },
  expect  = {
    -- The copy counts as a second hold of A, which releases once: one hold stays, and B waits for the lease of 30 s.
    -- (A release that comes twice does no harm: its latch remembers the first, or A holds nothing any more.)
    strict_mutual_exclusion = "holds",
    prompt = { "violated", idle_ms = 1000 },
  },
  must_see = { "duplicate" },
}
