-- A thread is interrupted while it waits for the answer to its acquire, goes away empty-handed, and unlocks as `finally` does. Where that
-- unlock comes first there is nothing to give back and nothing to stop; then the script takes the lock, and its answer, for which nobody
-- waits any more, starts the watchdog: a lock without a holder, renewed for as long as the process lives.
local redisson = require "redisson.lock"

return {
  title   = "R28: a lock that nobody got is renewed for ever",
  exhibit = { bug = "#2714 #7272", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "an interrupted acquire is renewed for ever", twin = "R28_mended.lua" },
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire { interruptibly = true } then
      me:work(100)
    end
    lock:release()                     -- as `finally` does, whatever came before
  end,
  faults  = { interrupt = { 1, of = "A" } },
  expect  = { prompt = { "violated", idle_ms = 60000 }, no_deadlock = "violated" },
  must_see = { "interrupt" },
}
