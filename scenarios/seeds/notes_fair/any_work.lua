-- Two clients come at any moment and work for any time: whatever one does may fall anywhere in the other.
local notes = require "notes.fair"

return {
  title   = "notes/fair: work of any length",
  clients = { "A", "B" },
  program = function(me)
    local lock = notes.lock(me, "{order:42}")
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  expect  = {
    -- Only the head of the queue may take a free lock, and it takes it in one script.
    strict_mutual_exclusion = "holds",
    -- The release publishes the id of the next in the queue.
    prompt = { "holds", idle_ms = 1 },
  },
  must_see = { "contention", "wait" },
}
