-- try_lock.lua: tryLock(), and tryLock(wait, lease), which tells a fair lock to forget the caller when its time is up.
local park = require "redisson.client.park"
local pubsub = require "pubsub"
local steps = require "redisson.client.steps"

-- tryLock(): one attempt that neither waits nor queues.
local function once(self, lease_ms)
  local me, name = self.me, self.name
  local refused, problem = steps.attempt(self, self.family.try_once, -1, lease_ms)
  if problem then
    return steps.failed(self, problem)
  end
  if refused == nil then
    return steps.held(self, lease_ms)
  end
  me:refused(name)
  me:gave_up(name)
  return false
end

-- counted_ms: the time that the caller counts on, where it is less than the lease: a group of locks will shorten it.
-- Returns true, false when the time is up, or nil and why.
return function(self, wait_ms, lease_ms, counted_ms)
  local me, name, family = self.me, self.name, self.family
  lease_ms = lease_ms or self.lease_ms
  me:wants(name, { mode = family.mode })
  if wait_ms == nil then
    return once(self, lease_ms)
  end

  local until_ms = wait_ms > 0 and me:now() + wait_ms or 0       -- without a wait it is over before anybody could look
  local ttl_ms, problem = steps.attempt(self, family.acquire, wait_ms, lease_ms)
  if problem then
    return steps.failed(self, problem)
  end
  if ttl_ms == nil then
    return steps.held(self, counted_ms or lease_ms)
  end
  me:refused(name)
  if me:now() >= until_ms then
    return steps.abandoned(self, wait_ms)
  end

  local entry, unsubscribed = steps.subscribe(self, until_ms - me:now())
  if entry == nil and unsubscribed == "interrupted" then
    return steps.failed(self, unsubscribed)    -- a queued thread stays in the queue
  elseif entry == nil then
    return steps.abandoned(self, wait_ms)
  end
  while me:now() < until_ms do
    ttl_ms, problem = steps.attempt(self, family.acquire, wait_ms, lease_ms)
    if ttl_ms == nil and problem == nil then
      pubsub.unsubscribe(me, entry)
      return steps.held(self, counted_ms or lease_ms)
    end
    if problem and problem.kind == "timeout" and not family.throws_timeout then
      break                                    -- since 4.7.0: no answer counts as a wait that failed
    elseif problem then
      pubsub.unsubscribe(me, entry)
      return steps.failed(self, problem)
    end
    me:refused(name)
    local left_ms = until_ms - me:now()
    if left_ms <= 0 then
      break
    end
    local _, interrupted = park(entry, ttl_ms >= 0 and math.min(ttl_ms, left_ms) or left_ms)
    if interrupted then
      pubsub.unsubscribe(me, entry)
      return steps.failed(self, interrupted)
    end
  end
  steps.abandoned(self, wait_ms)
  pubsub.unsubscribe(me, entry)                -- after the abandon's answer
  return false
end
