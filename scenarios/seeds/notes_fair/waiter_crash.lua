-- A waiter dies: those behind it must not wait for the dead.
local notes = require "notes.fair"

return {
  title   = "notes/fair: a waiter dies",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = notes.lock(me, "{order:42}")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { crash = { 1, of = "B" } },
  end_ms  = 100000,
  expect  = {
    -- The dead believe nothing.
    strict_mutual_exclusion = "holds",
    -- B died in the queue. When its turn comes the release tells B alone, and nothing ever takes the dead out of the queue.
    prompt = { "violated", idle_ms = 60000 },
  },
  must_see = { "crash", "wait" },
}
