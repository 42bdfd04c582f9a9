-- The replica that takes over never heard of the lock: it gives it to the next one while the first still works.
local redisson = require "redisson.lock"

return {
  title    = "fault failover: a replica without the last writes takes over",
  replicas = 1,
  clients  = { { "A", start_ms = 0 }, "B" },
  program  = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { failover = 1 },
  expect  = {
    -- A has its answer before the replica has the write. The new server knows no lock and gives it to B at once.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
  },
  must_see = { "failover" },
}
