-- answers.lua: what the answer to an acquire or an unlock sets off in the process: the lease field, the watchdog, the latch.
-- transport.lua says when it is done.
local lease = require "redisson.client.lease"

local M = {}

-- Of each thread that holds the lock through this object: which of its holds the watchdog was told of, the innermost last.
local function watched_of(lock, owner)
  local object = lock.object
  object.watched = object.watched or {}
  object.watched[owner] = object.watched[owner] or {}
  return object.watched[owner]
end

function M.acquired(task, lock, owner, lease_ms, reply, problem)
  if reply ~= nil or problem ~= nil then
    return
  end
  lease.granted(lock.object, lease_ms)
  local watched = watched_of(lock, owner)
  watched[#watched + 1] = lease_ms == nil
  if lease_ms == nil then
    lock.family.watchdog.add(task, lock.name, owner)
  end
end

-- Whatever the answer was, the watchdog has one hold less, if it was one of its own; once there is one, nobody needs the latch any more.
function M.released(task, lock, owner, latch, reply, problem)
  if problem == nil and latch then
    task:send("DEL", { latch }, {}, { op = "clear_latch", lock = lock.name })
  end
  if table.remove(watched_of(lock, owner)) then
    lock.family.watchdog.cancel(task, lock.name, owner)
  end
  if problem == nil then
    lease.released(lock.object, reply)
  end
end

return M
