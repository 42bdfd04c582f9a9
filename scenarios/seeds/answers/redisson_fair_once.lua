-- Redisson's fair lock, tried once: a refused client leaves no trace.
local once = require "once"

return {
  title   = "redisson/fair: what try_once answers and leaves behind",
  clients = { "A" },
  program = function(me)
    once(me, script "redisson/fair/try_once.lua", true)
  end,
}
