-- keep.lua: the last thing that a group's tryLock does: it sets the lease that counts, for each lock was taken with another. A request that
-- is not answered is sent again, as any command that may run twice. Whether a lock was still there to be given a lease is not looked at.
-- asked_ms: the lease that the caller named, who counts it from here.
-- Returns whether the group is ours, and what is left of his lease when the answers are there; nil and why, where none came in the end.
local resend = require "redisson.client.resend"

local function send(lock, lease_ms, asked_ms, again)
  return lock.me:send("PEXPIRE", { lock.name }, { lease_ms },
                      { op = "renew", lock = lock.name, lease = asked_ms, resend = true, again = again })
end

local function unanswered(problem)
  return problem ~= nil and (problem.kind == "timeout" or problem.kind == "lost")
end

return function(locks, lease_ms, asked_ms)
  local me, sent = locks[1].me, {}
  local from_ms = me:now()
  for i, lock in ipairs(locks) do
    sent[i] = send(lock, lease_ms, asked_ms, false)
  end
  for i = #sent, 1, -1 do
    local _, problem = sent[i]:wait()
    sent[i] = nil                              -- what it said is nothing to remember
    local tried = 0
    while unanswered(problem) do
      tried = tried + 1
      if tried > resend.attempts then
        return nil, problem.kind
      end
      resend.pause(me, tried)
      _, problem = send(locks[i], lease_ms, asked_ms, true):wait()
    end
  end
  return true, asked_ms - (me:now() - from_ms)
end
