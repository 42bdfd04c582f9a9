-- lock.lua: lock() and lockInterruptibly(): ask; if refused, subscribe, ask again, and park until a message or the
-- lease's end.
local park = require "redisson.client.park"
local pubsub = require "pubsub"
local steps = require "redisson.client.steps"

local subscription_timeout_ms = 7500

-- lock() swallows an interrupt and waits the whole time again. A second one ends that wait, and lock() with it
-- (IllegalStateException), unless the wait has no end (acquireUninterruptibly). Returns nil; or why it ended.
local function park_again(entry, ttl_ms)
  local _, interrupted
  repeat
    _, interrupted = park(entry, ttl_ms)
  until not interrupted or ttl_ms >= 0
  return interrupted
end

-- opts.interruptibly: lockInterruptibly(), unless the family hears no interrupt where no lease is named. opts.lease_ms:
-- the lease, unless the family forgets it; without one the watchdog keeps the lock.
-- Returns true; or nil and why.
return function(self, opts)
  local me, name, family = self.me, self.name, self.family
  local lease_ms = not family.forgets_lease and (opts and opts.lease_ms or self.lease_ms) or nil
  local interruptibly = opts and opts.interruptibly and not (family.deaf and lease_ms == nil)
  me:wants(name, { mode = family.mode })
  local ttl_ms, problem = steps.attempt(self, family.acquire, -1, lease_ms)
  if problem then
    return steps.failed(self, problem)
  end
  if ttl_ms == nil then
    return steps.held(self, lease_ms)
  end
  me:refused(name)

  local entry, unsubscribed = steps.subscribe(self, subscription_timeout_ms)
  if entry == nil then
    return steps.failed(self, unsubscribed)
  end
  while true do
    -- Between the first answer and the subscription the lock may have been freed, unheard: so ask again before
    -- parking.
    ttl_ms, problem = steps.attempt(self, family.acquire, -1, lease_ms)
    if problem or ttl_ms == nil then
      pubsub.unsubscribe(me, entry)
      if problem then
        return steps.failed(self, problem)
      end
      return steps.held(self, lease_ms)
    end
    me:refused(name)
    local _, interrupted = park(entry, ttl_ms)
    if interrupted and not interruptibly then
      interrupted = park_again(entry, ttl_ms)
    end
    if interrupted then
      pubsub.unsubscribe(me, entry)
      return steps.failed(self, interrupted)
    end
  end
end
