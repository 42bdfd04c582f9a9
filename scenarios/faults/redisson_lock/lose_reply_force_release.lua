-- The answer to a forceUnlock is lost, so it is sent again: the second one must find nothing more to do.
local redisson = require "redisson.lock"

return {
  title   = "redisson/lock: a forceUnlock whose answer is lost",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if me.client == "B" then
      lock:force_release()
    elseif lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { lose_reply = 1 },
  expect  = {
    -- Of the lock's requests only forceUnlock is sent again after a time-out. Its script publishes only where there was a lock to
    -- delete, so a second run right after the first finds nothing to do.
    idempotent = "holds",
    strict_mutual_exclusion = "holds",
  },
  must_see = { "lose_reply", "resend" },
}
