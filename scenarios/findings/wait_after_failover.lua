-- SET, then WAIT: the usual advice against a failover that forgets the lock. But the failover can come between the
-- two. The client's library connects to the new server and sends WAIT there; on a connection that has written nothing
-- there is nothing to wait for, so that WAIT answers at once, with as many replicas as there are. The client takes
-- that for a confirmation of a lock which no longer exists.
--
-- How likely: the window is one round trip of each acquisition, but a failover catches every client that stands in it,
-- and a library that reconnects on its own, or takes another connection of a pool, says nothing. The mend: look for
-- the lock after WAIT, on the same server, with a value of this very try: scripts/basic/confirmed.lua, which
-- scenarios/museum/G4_confirmed.lua puts under the same fault. Or send both in one write and give up when the
-- connection breaks. No library is meant: SET and WAIT are two calls of its user.
local generic = require "generic"

local waiting = generic.lock {
  acquire  = { { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" }, { "WAIT", 1, 100, at_least = 1 } },
  release  = "basic/set_nx/release.lua",
  args     = { release = { "$token" } },
  granted  = "OK",
  retry_ms = 500,
  lease_ms = 1000,
}

return {
  title    = "WAIT is answered by a server on which nothing was written",
  replicas = 1,
  clients  = { "A", { "B", start_ms = 10 } },
  program  = function(me)
    local lock = waiting.lock(me, "order:42")
    if lock:acquire() then
      me:work(200)
      lock:release()
    end
  end,
  faults   = { failover = 1 },
  expect   = { mutual_exclusion = "violated", matches_spec = "violated" },
  must_see = { "failover" },
}
