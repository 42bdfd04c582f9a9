-- A process dies inside its critical section: no client releases its lock, so the next one has to wait out the lease.
local redisson = require "redisson.lock"

return {
  title   = "fault crash: the holder's process dies",
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { crash = 1 },
  expect  = {
    -- Only the lease frees what the dead hold: B waits 30 s from A's last renewal. Two at once there never are.
    strict_mutual_exclusion = "holds",
    prompt = { "violated", idle_ms = 1000 },
  },
  must_see = { "crash" },
}
