-- unlock.lua: unlock() and forceUnlock().
local answers = require "redisson.client.answers"
local holds = require "holds"
local lease = require "redisson.client.lease"
local names = require "redisson.names"
local transport = require "redisson.client.transport"
local unsynced_unlock = require "redisson.client.unsynced_unlock"

local M = {}

-- One run of the release script and what its answer sets off. Returns the reply, or nil and a problem.
-- Each release has a number of its own in its latch key; once it is answered, the latch is deleted without waiting for
-- that.
function M.ask(self)
  local latch = self.family.latched and names.latch(self.family.key or self.name, self.me:unique("request")) or nil
  local owner, request = self.me.id, self.family.release(self, latch)
  function request.anew(again)
    return self.family.release(again, latch)
  end
  function request.failed(again)
    unsynced_unlock(again, owner)
  end
  return transport.ask(self, "release", nil, request, answers.released, owner, latch)
end

-- Returns true when the lock is free, false while holds remain; nil, "not owner"; or nil and why no answer came.
function M.unlock(self)
  local me, name, family = self.me, self.name, self.family
  local reply, problem = M.ask(self)
  if problem then
    return nil, transport.reason(problem)
  end
  if reply == nil then
    holds.clear(me, self.hold)
    me:lost(name, { mode = family.mode })
    return nil, "not owner"
  end
  local left = holds.drop(me, self.hold)
  if reply == 0 then
    -- Of a lock that many may hold, the answer does not say that it is one of them.
    me:released(name, { count = family.shared and left or math.max(left, 1), mode = family.mode })
    return false
  end
  holds.clear(me, self.hold)
  me:released(name, { count = 0, mode = family.mode })
  return true
end

-- Frees the lock, whatever its owner. Returns true if there was a lock, else false; or nil and why.
function M.force_unlock(self)
  local me, name = self.me, self.name
  self.family.watchdog.cancel(me, name)
  if not self.family.keeps_lease then
    lease.reset(self.object)                   -- before it asks, whatever comes of that
  end
  local reply, problem = transport.ask_until_answered(self, "force_release", self.family.force_release(self))
  if problem then
    return nil, transport.reason(problem)
  end
  if holds.count(me, self.hold) > 0 then
    holds.clear(me, self.hold)
    me:released(name, { count = 0 })
  end
  return reply == 1
end

return M
