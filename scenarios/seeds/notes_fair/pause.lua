-- The holder is paused past its lease: nobody may be let in before it knows, and nobody shut out for ever.
local notes = require "notes.fair"

return {
  title   = "notes/fair: a pause longer than the lease",
  clients = { "A", "B" },
  program = function(me)
    local lock = notes.lock(me, "{order:42}")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A" } },
  end_ms  = 100000,
  expect  = {
    -- No two promises overlap.
    mutual_exclusion = "holds",
    -- A paused owner stays at the head of the queue, and nobody else is let in.
    strict_mutual_exclusion = "holds",
    -- If A sleeps through the answer to its request, it gives up (time-out), yet stays at the head of the queue for ever.
    no_leak = "violated",
  },
  must_see = { "pause", "expiry" },
}
