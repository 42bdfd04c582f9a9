-- The sketch's key names, <lock>:queue and <lock>:queue:<owner>, fall into different slots of a cluster: the scripts fail there.
-- With the lock's name in braces, as in the other scenarios here, all of them share one slot.
local notes = require "notes.fair"

return {
  title   = "notes/fair: keys in different slots",
  clients = { "A" },
  program = function(me)
    local lock = notes.lock(me, "order:42")
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  expect  = {
    -- A single server runs them all the same, so this is a finding and no error.
    script_health = "violated",
  },
}
