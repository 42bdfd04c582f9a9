-- lock(lease) of a fenced lock keeps the lease, which lockAndGetToken(lease) forgets: who never unlocks is followed when it ends.
local redisson = require "redisson.fenced"

return {
  title   = "redisson/fenced: a lease without a token",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.without_token(me, "order:42", { lease_ms = 1000 })
    lock:acquire()
    me:work(100)
    if me.client == "B" then
      lock:release()
    end
  end,
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1000 },      -- B gets in when A's lease has ended
  },
  must_see = { "wait", "expiry" },
}
