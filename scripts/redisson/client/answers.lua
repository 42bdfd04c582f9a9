-- answers.lua: what the answer to an acquire or an unlock sets off in the process: the lease field, the watchdog, the latch.
-- transport.lua says when it is done.
local lease = require "redisson.client.lease"

local M = {}

function M.acquired(task, lock, owner, lease_ms, reply, problem)
  if reply ~= nil or problem ~= nil then
    return
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
  if problem == nil and not lock.family.keeps_lease then
    lease.released(lock.object, reply)
  end
end

return M
