-- slot.lua: how long a waiter of the fair lock may stand in its queue before the others consider it dead.
local M = {}

-- fairLockWaitTimeout, where the caller names no wait; 5000 before 3.13.3
local default_ms = 300000

local function default_of(lock)
  return lock.opts.slot_ms or default_ms
end

-- The wait that acquire is given. The lock's option wait_unit_ms is the unit in which the caller states its wait (1:
-- milliseconds, 1000: seconds); it shows a trap that is open to this day: without a lease the script is given the bare
-- number, and takes it for milliseconds.
function M.of_acquire(lock, wait_ms, lease_ms)
  if wait_ms <= 0 then
    return default_of(lock)
  elseif lease_ms then
    return wait_ms
  end
  return math.floor(wait_ms / (lock.opts.wait_unit_ms or 1))
end

-- What abandon is given, by which those behind move up: the caller's wait, in milliseconds always.
function M.of_abandon(lock, wait_ms)
  return wait_ms > 0 and wait_ms or default_of(lock)
end

return M
