-- A waiter dies: those behind it must not wait for the dead.
local simple = require "simple.string"

return {
  title   = "simple/string: a waiter dies",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 2, retry_ms = 250 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { crash = { 1, of = "B" } },
  expect  = {
    -- The dead believe nothing.
    strict_mutual_exclusion = "holds",
    -- A dead waiter costs nothing; if it dies as the holder, its lease has to run out.
    prompt = { "holds", idle_ms = 2251 },
  },
  must_see = { "crash", "contention" },
}
