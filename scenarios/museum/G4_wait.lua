-- Redisson takes a lock for safe when one replica has it, however many there are. Here two follow, one of them lags, and the one that lags
-- takes over: the lock that WAIT confirmed is gone while its holder works.
local redisson = require "redisson.lock"

return {
  title    = "failover to the replica that had not confirmed",
  exhibit  = { bug = "G4", library = "Redisson", versions = "up to 4.7.0 (open)", what = "one replica confirms the lock, another takes over",
               twin = "G4_wait_mended.lua" },
  replicas = 2,
  clients  = { "A", { "B", start_ms = 10 } },
  program  = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 30000, replicas = 2 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults   = { lag = { 1, ms = 400 }, failover = 1 },
  expect   = { mutual_exclusion = "violated", strict_mutual_exclusion = "violated" },
  must_see = { "lag", "failover" },
}
