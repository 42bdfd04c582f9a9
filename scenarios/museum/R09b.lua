-- The same trap in the other direction: a waiter that gives up after 10 s had a slot of 10 ms, but takes 10 s from
-- those behind it. So the next in the queue is dropped long before its time, and served after a later waiter.
local redisson = require "redisson.fair"

return {
  title   = "R09b: a waiter that gives up takes more than its slot",
  exhibit = { bug = "#4743", library = "Redisson", versions = "3.13.3 to 4.7.0, but for 3.24.0 (open)",
              what = "a waiter that gives up shortens the waits behind it" },
  clients = { "A", { "B", start_ms = 1 }, { "C", start_ms = 5 }, { "D", start_ms = 20100 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { wait_unit_ms = 1000 })
    if me.client == "A" then
      lock:acquire()
      me:work(21000)
      lock:release()
    elseif lock:try_acquire(me.client == "B" and 10000 or 60000) then
      me:work(100)
      lock:release()
    end
  end,
  expect  = { fifo = "violated" },
  must_see = { "renewal", "wait" },

  -- The twin of R09b: upstream took its mend back, so this one is ours: the wait is in milliseconds always.
  twin = {
    title   = "R09b mended: a wait is a wait in any unit",
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
