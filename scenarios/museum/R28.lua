-- A thread is interrupted while it waits for the answer to its acquire, and goes away empty-handed. The script takes the lock all the
-- same, and its answer, which nobody waits for any more, starts the watchdog: a lock without a holder, renewed for as long as the
-- process lives.
local redisson = require "redisson.lock"

return {
  title   = "R28: a lock that nobody got is renewed for ever",
  exhibit = { bug = "#2714 #7272", library = "Redisson", versions = "all: open (#2714: up to 3.16.2)",
              what = "an interrupted acquire is renewed for ever", twin = "R28_mended.lua" },
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire { interruptibly = true } then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { interrupt = { 1, of = "A" } },
  expect  = { prompt = { "violated", idle_ms = 60000 }, no_deadlock = "violated" },
  must_see = { "interrupt" },
}
