-- Seed 004: the 30 s expiry prevents deadlock, of both locks. Refuted for its fair lock: the expiry frees the lock,
-- but the dead owner stays at the head of the queue, and no other client becomes head. (For the reentrant lock it is
-- confirmed: crash_is_bounded.lua.)
local notes = require "notes.fair"

return {
  title   = "claim of seed 004: the expiry prevents deadlock",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local lock = notes.lock(me, "{order:42}")
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  faults  = { crash = { 1, of = "A" } },
  end_ms  = 100000,
  expect  = {
    prompt = { "violated", idle_ms = 60000 },
  },
  must_see = { "crash", "expiry" },
}
