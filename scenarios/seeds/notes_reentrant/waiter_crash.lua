-- A waiter dies: those behind it must not wait for the dead.
local notes = require "notes.reentrant"

return {
  title   = "notes/reentrant: a waiter dies",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = notes.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { crash = { 1, of = "B" } },
  expect  = {
    -- The dead believe nothing.
    strict_mutual_exclusion = "holds",
    -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
    script_health = "violated",
    -- If B dies as the holder, C may ask just before its lease ends, and then sleeps 30 s more.
    prompt = { "holds", idle_ms = 60001 },
  },
  must_see = { "crash", "wait" },
}
