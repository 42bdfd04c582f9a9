-- slot.lua: how long a waiter of the fair lock may stand in its queue: 5 s, whatever the caller's wait.
local M = {}

local slot_ms = 5000

function M.of_acquire()
  return slot_ms
end
M.of_abandon = M.of_acquire

return M
