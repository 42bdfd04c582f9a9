-- The network delivers an acquire twice: a reentrant lock counts the copy as a second hold that is never released.
local redisson = require "redisson.lock"

return {
  title   = "fault duplicate: a request is executed twice",
  clients = { { "A", start_ms = 0 }, "B" },
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
    -- It waits for the message of B's release when the copy runs: then the acquire that it sends next is told 1 of 2.
    matches_spec = "violated",
  },
  must_see = { "duplicate" },
}
