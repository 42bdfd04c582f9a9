-- The answer to an acquire is lost: Redis gave the lock to a client that does not know it and will not release it.
local simple = require "simple.string"

return {
  title   = "fault lose_reply: an answer is lost on its way",
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 10, retry_ms = 2500 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { lose_reply = 1 },
  expect  = {
    -- Redis has given the lock to A. A hears nothing for 3 s and gives up; the lock stays A's until the lease of 10 s
    -- has run out.
    strict_mutual_exclusion = "holds",
    prompt = { "violated", idle_ms = 5000 },
  },
  must_see = { "lose_reply" },
}
