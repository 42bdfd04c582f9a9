-- A request never reaches Redis: a lost release leaves the lock taken until its lease ends.
local simple = require "simple.string"

return {
  title   = "fault lose_request: a request is lost on its way",
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 10, retry_ms = 2500 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { lose_request = 1 },
  expect  = {
    -- A's release never arrives, and A does not send it again: B polls in vain until the lease of 10 s has run out.
    strict_mutual_exclusion = "holds",
    prompt = { "violated", idle_ms = 5000 },
  },
  must_see = { "lose_request" },
}
