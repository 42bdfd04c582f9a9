-- tryLockAndGetToken() without arguments is there to answer at once: a token, or null while somebody else holds the lock. It subscribes and
-- waits instead, as lockAndGetToken() does, for as long as the lock is held; with a holder whose process lives and never unlocks, for ever.
--
-- How likely: certain, for each caller who meets a held lock. tryLockAndGetToken(wait, unit) keeps to its time. The mend: ask once
-- (fenced_try_waits_mended/). Checked against redisson 4.7.0 by a trace of the real client (tests/recordings/clients, fenced_02).
local redisson = require "redisson.fenced"

return {
  title   = "tryLockAndGetToken() waits",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if me.client == "A" then
      lock:acquire()                           -- and never unlocks
    else
      assert(lock:try_acquire() == false)
    end
  end,
  expect  = { no_deadlock = "violated" },
  must_see = { "renewal" },
}
