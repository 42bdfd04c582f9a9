-- A waiter dies: those behind it must not wait for the dead.
local redisson = require "redisson.lock"

return {
  title   = "redisson/lock: a waiter dies",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { crash = { 1, of = "B" } },
  expect  = {
    -- The dead believe nothing.
    strict_mutual_exclusion = "holds",
    -- A dead waiter costs nothing, for all hear the message; if it dies as the holder, its lease has to run out.
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "crash", "wait" },
}
