-- answers.lua: what the answer to an acquire or an unlock sets off in the process: the lease field, the watchdog, the latch.
-- transport.lua says when it is done.
local lease = require "redisson.client.lease"
local names = require "redisson.names"

local M = {}

-- Nobody would give it back: so it is given back here.
local function undo(task, lock)
  local latch = names.latch(lock.name, task:unique("request"))
  local request = lock.family.release(lock:in_task(task), latch)
  task:eval(request.script, request.keys, request.argv, { op = "release", lock = lock.name })
  task:send("DEL", { latch }, {}, { op = "clear_latch", lock = lock.name })
end

function M.acquired(task, lock, owner, lease_ms, reply, problem, gone)
  if reply ~= nil or problem ~= nil then
    return
  end
  if gone then
    return undo(task, lock)
  end
  lease.granted(lock.object, lease_ms)
  if lease_ms == nil then
    lock.family.watchdog.add(task, lock.name, owner)
  end
end

-- Whatever the answer was, one hold is taken off the watchdog; once there is one, nobody needs the latch any more.
function M.released(task, lock, owner, latch, reply, problem)
  if problem == nil and latch then
    task:send("DEL", { latch }, {}, { op = "clear_latch", lock = lock.name })
  end
  lock.family.watchdog.cancel(task, lock.name, owner)
  if problem == nil then
    lease.released(lock.object, reply)
  end
end

return M
