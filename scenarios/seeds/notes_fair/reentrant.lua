-- The owner takes the lock three deep while another waits: it must be free exactly after the third release.
local notes = require "notes.fair"

return {
  title   = "notes/fair: three deep",
  clients = { "A", "B" },
  program = function(me)
    local lock = notes.lock(me, "{order:42}")
    for _ = 1, 3 do
      lock:acquire()
    end
    me:work(100)
    for _ = 1, 3 do
      lock:release()
    end
  end,
  expect  = {
    -- The hash counts the holds of its one owner; the key goes with the last of them.
    strict_mutual_exclusion = "holds",
  },
  must_see = { "contention", "re-entry" },
}
