-- A waiter dies: those behind it must not wait for the dead.
local notes = require "notes.fair"

return {
  title   = "notes/fair: a waiter dies",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = notes.lock(me, "order:42")
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  faults  = { crash = { 1, of = "B" } },
  explore = { random = 1000 },
  must_see = { "crash", "wait" },
}
