-- slot.lua: how long a waiter of the fair lock may stand in its queue: his wait, in milliseconds always.
local M = {}

local default_ms = 300000

function M.of_acquire(lock, wait_ms)
  return wait_ms > 0 and wait_ms or lock.opts.slot_ms or default_ms
end
M.of_abandon = M.of_acquire

return M
