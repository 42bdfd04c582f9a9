-- Where the caller names a wait and no lease, the script is given the bare number and takes it for milliseconds: 60 s
-- become 60 ms. The waiter's deadline is then hardly later than the holder's first lease, so a client that asks after
-- that drops it from the queue, alive and well.
local redisson = require "redisson.fair"

return {
  title   = "R09a: a wait of 60 s counts as 60 ms, and a waiter loses its place",
  exhibit = { bug = "#4743 #2883", library = "Redisson", versions = "3.13.3 to 4.7.0, but for 3.24.0 (open)",
              what = "a wait in seconds is taken for milliseconds" },
  clients = { "A", { "B", start_ms = 1 }, { "C", start_ms = 30061 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { wait_unit_ms = 1000 })
    if me.client == "A" then
      lock:acquire()
      me:work(31000)
      lock:release()
    elseif lock:try_acquire(60000) then
      me:work(100)
      lock:release()
    end
  end,
  expect  = { fifo = "violated" },
  must_see = { "renewal", "wait" },

  -- The twin of R09a: upstream took its mend back, so this one is ours: the wait is in milliseconds always.
  twin = {
    title   = "R09a mended: a wait is a wait in any unit",
    expect  = { fifo = "holds" },
    patch   = {
      ["redisson/slot.lua"] = [[
-- slot.lua: how long a waiter of the fair lock may stand in its queue: its wait, in milliseconds always.
local M = {}

local default_ms = 300000

function M.of_acquire(lock, wait_ms)
  return wait_ms > 0 and wait_ms or lock.opts.slot_ms or default_ms
end
M.of_abandon = M.of_acquire

return M
]],
    },
  },
}
