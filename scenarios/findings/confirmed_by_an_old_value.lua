-- The mend of wait_after_failover.lua with one word changed: the value is the same for all tries of an acquisition.
-- The first try is refused, for the replica lags, and gives the lock back. The second one stands between SET and WAIT
-- when that replica takes over: it has the first try's key, with the same value and little time left. WAIT and the
-- look both say yes, and the lock ends long before its lease.
--
-- How likely: a replica that lags is the reason why the first try was refused, and what a failover after it leaves
-- behind; so the two faults come together. The mend is that word: "$try", a fresh value each time it asks (the twin).
-- No library is meant: the lock is one of the shipped ones.
local generic = require "generic"
local mended = require "basic.confirmed"

local confirmed = generic.lock {
  acquire  = {
    { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" },
    { "WAIT", 1, 100, at_least = 1 },
    { "GET", "$lock", equals = "$token" },
  },
  release  = "basic/set_nx/release.lua",
  args     = { release = { "$token" } },
  granted  = "OK",
}

local function program(me, driver)
  local lock = (driver or confirmed).lock(me, "order:42", { lease_ms = 1000, retry_ms = 500 })
  if lock:acquire() then
    me:work(200)
    lock:release()
  end
end

return {
  title    = "an older key of one's own confirms a newer one",
  replicas = 1,
  clients  = { "A", { "B", start_ms = 10 } },
  program  = program,
  faults   = { failover = 1, lag = 1 },
  expect   = { mutual_exclusion = "violated" },
  must_see = { "failover", "lag" },

  -- The same with a fresh value each time it asks: what comes back with the replica is not taken for the lock.
  twin = {
    title    = "an older key of one's own confirms nothing",
    program  = function(me)
      program(me, mended)
    end,
    expect   = {
      mutual_exclusion = "holds", strict_mutual_exclusion = "holds",
      -- The key of an earlier try is back, so that there is a lock whose owner has given it up.
      matches_spec = "violated",
    },
  },
}
