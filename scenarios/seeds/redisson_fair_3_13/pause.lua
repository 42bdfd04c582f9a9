-- The holder is paused past its lease: when it wakes it still believes to hold what another has taken.
local redisson = require "redisson.fair_3_13"

return {
  title   = "redisson/fair_3_13: a pause longer than the lease",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A" } },
  expect  = {
    -- The lease ran out because its holder was paused; no promise was broken.
    mutual_exclusion = "holds",
    -- The paused client wakes up inside its critical section, where the next one is by now. No lease can prevent it; fencing
    -- tokens can.
    strict_mutual_exclusion = "violated",
    -- If the lock is free again when A wakes up, A is told "released", though he had lost it.
    matches_spec = "violated",
    -- If A sleeps through the answer to its request, it gives up (time-out) and does not leave the queue.
    no_leak = "violated",
    -- A wakes up too late for the answer to its release and takes it for failed, while its watchdog renews the lock once more. B,
    -- whose turn by the clock comes while the lock is held, is told to wait -1 ms and parks without limit: a lock that expires sends
    -- no message, so only that release, should it arrive after all, would wake it.
    no_lost_wakeup = "violated",
  },
  must_see = { "pause", "expiry" },
}
