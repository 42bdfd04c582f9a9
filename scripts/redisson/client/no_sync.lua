-- no_sync.lua: what follows when no replica is known to have a lock's script (synced.lua): the script has run at the master all the same.
-- Of a caller who was interrupted only the answer that he no longer waited for is seen to; the library goes on with the rest without him.
local names = require "redisson.names"
local resend = require "redisson.client.resend"
local synced = require "redisson.client.synced"

local M = {}

-- `after(lock)` is done after each attempt that no replica has. Returns what synced.send does.
local function until_synced(lock, op, lease_ms, request, after)
  local reply, problem, sent
  for tried = 0, resend.attempts do
    resend.pause(lock.me, tried)
    reply, problem, sent = synced.send(lock, op, lease_ms, request, tried > 0)
    if problem == nil or problem.kind ~= "nosync" then
      break
    end
    after(lock)
  end
  return reply, problem, sent
end

-- The whole acquire once more, after what it may have done is taken back by a release of its own; unless the family leaves it at that.
function M.acquire(lock, lease_ms, request)
  if lock.family.leaves_unsynced then
    return synced.send(lock, "acquire", lease_ms, request)
  end
  return until_synced(lock, "acquire", lease_ms, request, function()
    local latch = names.latch(lock.name, lock.me:unique("request"))
    local _, problem = synced.send(lock, "release", nil, lock.family.release(lock, latch))
    if problem == nil then
      lock.me:send("DEL", { latch }, {}, { op = "clear_latch", lock = lock.name })
    end
  end)
end

-- The same release once more: its latch knows it again.
function M.release(lock, _, request)
  return until_synced(lock, "release", nil, request, function() end)
end

return M
