-- token.lua: the fenced lock's calls that return a token. They run on callbacks, and the caller waits for their
-- result. An interrupt sends it away with an exception; what it began goes on without it up to where it would ask
-- again. A late grant is given back at once, since no caller can take the result any more.
local fenced_try = require "redisson.fenced_try"
local park = require "redisson.client.park"
local pubsub = require "pubsub"
local steps = require "redisson.client.steps"
local unlock = require "redisson.client.unlock"

local subscription_timeout_ms = 7500

local function leave(me, entry)
  if entry then
    pubsub.unsubscribe(me, entry)
  end
end

-- In a task of its own: when the caller is interrupted the SUBSCRIBE goes on without it, and is undone once it is
-- there. The earlier of the two wins at once, as upstream of CompletableFuture's complete and cancel.
local function subscribe(lock, until_ms)
  local me, done = lock.me, lock.me:semaphore(0)
  local entry, why, gone
  local function confirmed(task, joined, refused)
    entry, why = joined, refused
    if gone then
      leave(task, entry)
    end
    done:release(1)
  end
  me:spawn("subscribe", function(task)
    local alone = setmetatable({ me = task }, { __index = lock })
    task:atomic(confirmed, task, steps.subscribe(alone, until_ms and math.max(0, until_ms - task:now()) or
                                                        subscription_timeout_ms))
  end)
  return me:atomic(function()
    local _, interrupted = done:acquire()
    if interrupted then
      gone = true
      return nil, interrupted
    end
    return entry, why
  end)
end

-- The shorter of what is left of the lease and of the caller's time; below 0: no limit.
local function pause_ms(me, ttl_ms, until_ms)
  if until_ms == nil then
    return ttl_ms
  end
  local left_ms = until_ms - me:now()
  return ttl_ms >= 0 and math.min(ttl_ms, left_ms) or left_ms
end

-- The caller has gone, and this is the answer to its request.
local function answered(lock, entry, until_ms)
  return function(task, ttl_ms, problem)
    local alone = setmetatable({ me = task }, { __index = lock })
    if problem then
      leave(task, entry)
    elseif ttl_ms == nil then
      leave(task, entry)
      unlock.ask(alone)
    else
      -- locksim: allow LC002 a thread that subscribes here leaves again; one that parks had an entry before it asked
      local joined = entry or subscribe(alone, until_ms)
      if entry then
        park(entry, pause_ms(task, ttl_ms, until_ms))
      end
      leave(task, joined)
    end
  end
end

-- It goes while it is parked: whatever ends the pause finds no thread.
local function parked(me, entry, ends_ms)
  me:spawn("listener", function(task)
    park(entry, ends_ms and math.max(0, ends_ms - task:now()) or -1)
    leave(task, entry)
  end)
end

local function timed_out(lock, entry, wait_ms)
  leave(lock.me, entry)
  return steps.abandoned(lock, wait_ms)
end

-- Asks, subscribes, and asks again; until_ms nil: for as long as it takes. Returns true, false when the time is up, or
-- nil and why.
local function wait(lock, wait_ms, until_ms, lease_ms)
  local me, name = lock.me, lock.name
  local entry
  me:wants(name)
  while true do
    local ttl_ms, problem = steps.attempt(lock, lock.family.acquire, wait_ms, lease_ms,
                                          answered(lock, entry, until_ms))
    if problem then
      if problem.kind ~= "interrupted" then
        leave(me, entry)
      end
      return steps.failed(lock, problem)
    elseif ttl_ms == nil then
      leave(me, entry)
      return steps.held(lock, lease_ms)
    end
    me:refused(name)
    if until_ms and me:now() >= until_ms then
      return timed_out(lock, entry, wait_ms)
    elseif entry == nil then
      local unsubscribed
      entry, unsubscribed = subscribe(lock, until_ms)
      if entry == nil then
        return steps.failed(lock, unsubscribed)
      end
    else
      local for_ms = pause_ms(me, ttl_ms, until_ms)
      local ends_ms = for_ms >= 0 and me:now() + for_ms or nil
      local _, interrupted = park(entry, for_ms)
      if interrupted then
        parked(me, entry, ends_ms)
        return steps.failed(lock, interrupted)
      end
    end
    if until_ms and me:now() >= until_ms then
      return timed_out(lock, entry, wait_ms)
    end
  end
end

local M = {}

-- lockAndGetToken(lease) does not look at the lease that it is given: the watchdog keeps the lock.
function M.lock(lock, opts)
  local lease_ms = not lock.family.forgets_lease and (opts and opts.lease_ms or lock.lease_ms) or nil
  return wait(lock, -1, nil, lease_ms)
end

-- tryLockAndGetToken(wait, lease).
function M.try_lock(lock, wait_ms, lease_ms)
  lease_ms = lease_ms or lock.lease_ms
  if wait_ms == nil then
    return fenced_try(lock, lease_ms, wait)
  end
  return wait(lock, wait_ms, lock.me:now() + wait_ms, lease_ms)
end

return M
