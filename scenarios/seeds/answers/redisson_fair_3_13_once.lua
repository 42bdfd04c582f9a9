-- Redisson's fair lock of 3.13, tried once: a refused client leaves no trace.
local once = require "once"

return {
  title   = "redisson/fair_3_13: what try_once answers and leaves behind",
  clients = { "A" },
  program = function(me)
    once(me, script "redisson/fair_3_13/try_once.lua")
  end,
}
