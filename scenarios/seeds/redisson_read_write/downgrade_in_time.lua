-- A writer reads as well, and goes on reading when he has written: nobody writes in between.
local redisson = require "redisson.read_write"

return {
  title   = "redisson/read_write: a writer who goes on reading",
  clients = { "A", "B" },
  program = function(me)
    local write, read = redisson.write(me, "order:42"), redisson.read(me, "order:42")
    write:acquire()
    read:acquire()
    me:work(10)
    write:release()
    me:work(100)
    read:release()
  end,
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "grant", "wait" },
}
