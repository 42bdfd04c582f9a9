-- The replica falls behind: what the server has promised since then would be forgotten by a failover, and only WAIT
-- can tell.
local simple = require "simple.string"

return {
  title    = "fault lag: the replica falls behind",
  replicas = 1,
  clients  = { { "A", start_ms = 0 }, "B" },
  program  = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 10 })
    if lock:acquire() then
      if me:call("WAIT", 1, 100) == 1 then
        me:work(100)
      else
        me:log("no replica has the lock: not safe to work")
      end
      lock:release()
    end
  end,
  faults  = { lag = 1 },
  expect  = {
    -- A lag by itself breaks nothing: there is one server, and it knows the lock. WAIT answers 0 while the replica is
    -- behind, so a client that asks does not begin work that a failover could take the lock from; failover.lua shows
    -- what happens to others.
    strict_mutual_exclusion = "holds",
  },
  must_see = { "lag" },
}
