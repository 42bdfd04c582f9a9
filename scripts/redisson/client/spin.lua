-- spin.lua: lock() and tryLock() of the spin lock: ask, sleep for a while that grows from failure to failure, ask
-- again. No messages. The lease field is written before the lock asks, so that an attempt which fails leaves its lease
-- behind, too.
local lease = require "redisson.client.lease"
local steps = require "redisson.client.steps"

local M = {}

local fails_max = 7                            -- from here on the sleep does not grow any more

-- The library's back-off unless told otherwise: 1, 2, 4 ... ms and up to a millisecond more for each failure, and then
-- always 128 ms.
function M.exponential(me, fails)
  if fails == fails_max then
    return 128
  end
  return 2 ^ fails + (fails == 0 and 0 or me:random { 0, fails })
end

-- The other one it has.
function M.constant()
  return 64
end

local function attempt(lock, lease_ms)
  if lease_ms then
    lease.granted(lock.object, lease_ms)
  end
  return steps.attempt(lock, lock.family.acquire, -1, lease_ms)
end

-- until_ms: when to stop asking (nil: never). Returns true, false when the time is up, or nil and why.
local function spin(lock, until_ms, lease_ms)
  local me = lock.me
  local back_off = lock.opts.back_off or M.exponential
  local fails = 0
  me:wants(lock.name)
  while true do
    local ttl_ms, problem = attempt(lock, lease_ms)
    if problem then
      return steps.failed(lock, problem)
    elseif ttl_ms == nil then
      return steps.held(lock, lease_ms)
    end
    me:refused(lock.name)
    if until_ms and me:now() >= until_ms then
      me:gave_up(lock.name)
      return false
    end
    local slept, interrupted = me:sleep(back_off(me, fails))
    if not slept and interrupted then
      return steps.failed(lock, interrupted)
    end
    fails = math.min(fails + 1, fails_max)
  end
end

function M.lock(lock, opts)
  return spin(lock, nil, opts and opts.lease_ms or lock.lease_ms)
end

-- Without wait_ms it asks once.
function M.try_lock(lock, wait_ms, lease_ms)
  return spin(lock, lock.me:now() + (wait_ms or 0), lease_ms or lock.lease_ms)
end

return M
