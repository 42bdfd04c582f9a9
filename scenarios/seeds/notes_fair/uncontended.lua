-- Nobody else wants the lock: each acquire must be granted at once, and nothing may stay behind.
-- The name is a hash tag, so that the sketch's three keys fall into one slot: see cluster_slots.lua.
local notes = require "notes.fair"

return {
  title   = "notes/fair: uncontended",
  clients = { "A" },
  program = function(me)
    local lock = notes.lock(me, "{order:42}")
    for _ = 1, 2 do
      assert(lock:try_acquire() == true)
      me:work(100)
      assert(lock:release() == true)
    end
  end,
}
