-- no_sync.lua: the effects when no replica is known to have a lock's script (synced.lua): the script has run at the
-- master all the same. A caller that is interrupted hears of it at once; the library goes on with the rest without it
-- (transport.lua).
local names = require "redisson.names"
local resend = require "redisson.client.resend"
local synced = require "redisson.client.synced"

local M = {}

local function interrupted(problem)
  return problem == "interrupted" or problem and problem.kind == "interrupted"
end

-- `after(lock)` is done after each attempt that no replica has; it returns a problem, or nil. trouble: what has come
-- of the first attempt. A further attempt is a new request (request.anew), with the time and the lease field as they
-- are then; attempts are counted before its pause is drawn, so that the first is no shorter than any other. Returns
-- what synced.send does.
local function until_synced(lock, op, lease_ms, request, after, trouble)
  if trouble and trouble.kind == "nosync" then
    after(lock)
  end
  local reply, problem, sent
  for tried = trouble and 1 or 0, resend.attempts do
    if tried > 0 and resend.pause(lock.me, tried + 1) then
      return nil, { kind = "interrupted" }
    end
    local sends = tried > 0 and request.anew and request.anew(lock) or request
    reply, problem, sent = synced.send(lock, op, lease_ms, sends, tried > 0)
    if problem == nil or problem.kind ~= "nosync" then
      break
    end
    local stopped = after(lock)
    if interrupted(stopped) then
      return nil, stopped
    end
  end
  return reply, problem, sent
end

-- As the family says, if it says anything.
local function undo(lock, acquire)
  local request = lock.family.undo(lock, acquire)
  if request then
    local _, problem = synced.send(lock, "release", nil, request)
    return problem
  end
end

-- The caller is told, and nothing more is done.
local function once(lock, op, lease_ms, request, trouble)
  if trouble and trouble.kind == "nosync" then
    return nil, trouble
  end
  return synced.send(lock, op, lease_ms, request, trouble ~= nil)
end

-- Takes back what an acquire may have done: as the family says, or by a release of its own.
local function take_back(lock, acquire)
  if lock.family.undo then
    return undo(lock, acquire)
  end
  local latch = names.latch(lock.family.key or lock.name, lock.me:unique("request"))
  local _, problem = synced.send(lock, "release", nil, lock.family.release(lock, latch))
  if problem == nil then
    -- locksim: allow LC001 nobody needs the latch any more, and it has an expiry
    lock.me:send("DEL", { latch }, {}, { op = "clear_latch", lock = lock.name })
  end
  return problem
end

-- A spin lock's: it is taken back, and the caller hears of it.
local function acquire_once(lock, lease_ms, request, trouble)
  local reply, problem, sent = once(lock, "acquire", lease_ms, request, trouble)
  if problem and problem.kind == "nosync" and interrupted(take_back(lock, request)) then
    return nil, { kind = "interrupted", after = "taken back" }
  end
  return reply, problem, sent
end

-- The whole acquire once more, after what it may have done is taken back; unless the family leaves it there, or asks
-- once.
function M.acquire(lock, lease_ms, request, trouble)
  if lock.family.leaves_unsynced then
    return once(lock, "acquire", lease_ms, request, trouble)
  elseif lock.family.acquires_once then
    return acquire_once(lock, lease_ms, request, trouble)
  end
  return until_synced(lock, "acquire", lease_ms, request, function()
    return take_back(lock, request)
  end, trouble)
end

-- The same release again: its latch knows it. Each attempt takes a hold off the watchdog and resets the lease field,
-- as a failed unlock does; the caller sees to the last one. A semaphore's release has no latch, and is not sent
-- again.
function M.release(lock, _, request, trouble)
  if lock.family.releases_once then
    return once(lock, "release", nil, request, trouble)
  end
  return until_synced(lock, "release", nil, request, request.failed or function() end, trouble)
end

return M
