-- keep.lua: the last thing that a group's tryLock does: it sets the lease that counts, for each lock was taken with
-- another. A request that is not answered is sent again, as any command that may run twice. Whether a lock was still
-- there to be given a lease is not looked at. asked_ms: the lease that the caller named and counts from here.
-- flag: the thread's interrupt flag, which ends no wait here.
-- Returns whether the group is ours, and what is left of its lease when the answers are there; nil and why, where none
-- came in the end.
local flags = require "redisson.client.flag"
local resend = require "redisson.client.resend"

-- A fair lock has more keys than its own, which get the lease as well: the waiters in its queue are forgotten with
-- it.
local function send(lock, key, lease_ms, asked_ms, again)
  return lock.me:send("PEXPIRE", { key }, { lease_ms },
                      { op = "renew", lock = lock.name, lease = asked_ms, resend = true, again = again })
end

local function keys_of(lock)
  local more = lock.family.expires
  return more and more(lock) or { lock.name }
end

return function(locks, lease_ms, asked_ms, flag)
  local me, sent = locks[1].me, {}
  local from_ms = me:now()
  local of = {}
  for _, lock in ipairs(locks) do
    for _, key in ipairs(keys_of(lock)) do
      of[#of + 1] = { lock = lock, key = key }
      sent[#of] = send(lock, key, lease_ms, asked_ms, false)
    end
  end
  for i = #sent, 1, -1 do
    local _, problem = flags.join(flag, sent[i])
    sent[i] = nil                              -- what it said is nothing to remember
    local tried = 0
    while resend.silent(problem) do
      tried = tried + 1
      if tried > resend.attempts then
        return nil, problem.kind
      end
      resend.pause(me, tried)
      _, problem = flags.join(flag, send(of[i].lock, of[i].key, lease_ms, asked_ms, true))
    end
  end
  return true, asked_ms - (me:now() - from_ms)
end
