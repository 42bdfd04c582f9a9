-- A thread is interrupted while it waits for the answer to its acquire: it goes away empty-handed, its process renews
-- the lock.
local redisson = require "redisson.lock"

return {
  title   = "fault interrupt: a waiting thread is interrupted",
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:try_acquire(40000) then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { interrupt = { 1, of = "A" } },
  expect  = {
    -- The script had been sent and takes the lock all the same. Its answer, which no thread waits for any more, starts
    -- the watchdog, and that renews for as long as the process lives (redisson issue 7272, open).
    strict_mutual_exclusion = "holds",
    prompt  = { "violated", idle_ms = 30001 },
    no_leak = "violated",
  },
  must_see = { "interrupt" },
}
