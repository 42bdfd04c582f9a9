-- Redisson's fair lock, tried once: whoever does not get it at once leaves no trace.
local once = require "once"

return {
  title   = "redisson/fair: what try_once answers and leaves behind",
  clients = { "A" },
  program = function(me)
    once(me, script "redisson/fair/try_once.lua", true)
  end,
}
