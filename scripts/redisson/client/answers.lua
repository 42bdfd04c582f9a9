-- answers.lua: the effects of an acquire's or an unlock's answer in the process: the lease field, the watchdog, the
-- latch. transport.lua says when it is done.
local lease = require "redisson.client.lease"
local resend = require "redisson.client.resend"

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

-- Deletes the latch, which no client needs any more, and waits for nothing; a request without an answer is sent again.
local function clear(task, lock, latch, tried)
  local sent = task:send("DEL", { latch }, {}, { op = "clear_latch", lock = lock.name, resend = true,
                                                 again = tried > 0 })
  sent:on_answer(function(me, _, problem)
    if resend.silent(problem) and tried < resend.attempts then
      resend.pause(me, tried + 1)
      clear(me, lock, latch, tried + 1)
    end
  end)
end

-- Whatever the answer was, one hold is taken off the watchdog, and the lease field is reset unless holds remain; also
-- where none came.
function M.released(task, lock, owner, latch, reply, problem)
  if problem == nil and latch then
    clear(task, lock, latch, 0)
  end
  lock.family.watchdog.cancel(task, lock.name, owner)
  if not lock.family.keeps_lease then
    lease.released(lock.object, reply)
  end
end

return M
