-- semaphore.lua: Redisson's semaphore (RSemaphore), its scripts under semaphore/. One number per semaphore: the
-- permits to be had. Their takers are written nowhere: permits have no owner and no lease, and a release gives back
-- whatever it says.
local join = require "redisson.join"
local names = require "redisson.names"
local patience = require "redisson.patience"
local pubsub = require "pubsub"
local transport = require "redisson.client.transport"
local undo = require "redisson.semaphore_undo"

local acquire = script "redisson/semaphore/acquire.lua"
local release = script "redisson/semaphore/release.lua"
local set_permits = script "redisson/semaphore/set_permits.lua"
local add_permits = script "redisson/semaphore/add_permits.lua"
local drain = script "redisson/semaphore/drain.lua"

local M = {}

local publish = "PUBLISH"

M.subscription_timeout_ms = 7500

local family = { releases_once = true }

local Semaphore = {}
Semaphore.__index = Semaphore

function M.channel(name)
  return names.prefix("redisson_sc", name)
end

local function give_back(self, permits)
  return { script = release, keys = { self.name, M.channel(self.name) }, argv = { permits, publish },
           permits = permits }
end

-- With replicas: permits that an acquire may have taken and that none of them is known to have.
function family.undo(self, request)
  return undo(self, request.argv[1], give_back)
end

-- A message names the permits that there are now: so many waiters of the process, at most all of them, may ask again.
function M.on_message(entry, message)
  entry.latch:release(math.min(entry.acquired, tonumber(message)))
end

local function nothing() end

-- A request that is sent once: the reply, or nil and a problem. given: how many permits it gives back.
local function ask(self, op, script, keys, argv, given)
  return transport.ask(self, op, nil, { script = script, keys = keys, argv = argv, permits = given }, nothing)
end

-- One that may run twice without harm; the reply, or nil and why.
local function insist(self, op, script, keys, argv)
  local reply, problem = transport.ask_until_answered(self, op, { script = script, keys = keys, argv = argv })
  if problem then
    return nil, transport.reason(problem)
  end
  return reply
end

local function failed(self, problem)
  self.me:gave_up(self.name)
  return nil, transport.reason(problem)
end

-- One run of the acquire script: true, false; or nil and a problem.
local function attempt(self, permits)
  local reply, problem = ask(self, "acquire", acquire, { self.name }, { permits })
  if problem then
    return nil, problem
  end
  if reply == 1 then
    self.me:granted(self.name, { count = permits })
    return true
  end
  self.me:refused(self.name)
  return false
end

-- Asks, subscribes, and asks again after each message; until_ms nil: for as long as it takes.
local function wait(self, permits, until_ms)
  local me, name = self.me, self.name
  me:wants(name, { count = permits })
  local got, problem = attempt(self, permits)
  if problem then
    return failed(self, problem)
  elseif got then
    return true
  end

  local function left_ms()
    return until_ms and until_ms - me:now()
  end
  if until_ms and left_ms() <= 0 then
    me:gave_up(name)
    return false
  end
  local entry, unsubscribed = join(me, M.channel(name), left_ms() or M.subscription_timeout_ms, until_ms, M.on_message)
  if entry == nil then
    return failed(self, unsubscribed)
  elseif not entry then
    me:gave_up(name)
    return false
  end
  while true do
    got, problem = attempt(self, permits)
    if problem or got or (until_ms and left_ms() <= 0) then
      break
    end
    local _, interrupted = patience(entry.latch, left_ms())
    if interrupted then
      problem = interrupted
      break
    end
    if until_ms and left_ms() <= 0 then
      break
    end
  end
  pubsub.unsubscribe(me, entry)
  if problem then
    return failed(self, problem)
  end
  if not got then
    me:gave_up(name)
  end
  return got
end

-- acquire(permits): returns true; or nil and why.
function Semaphore:acquire(permits)
  return wait(self, permits or 1)
end

-- tryAcquire(permits, wait); without wait_ms one attempt. Returns true, false when the time is up, or nil and why.
function Semaphore:try_acquire(wait_ms, permits)
  return wait(self, permits or 1, self.me:now() + (wait_ms or 0))
end

-- release(permits): returns true; or nil and why no answer came.
function Semaphore:release(permits)
  local _, problem = ask(self, "release", release, { self.name, M.channel(self.name) }, { permits or 1, publish },
                         permits or 1)
  if problem then
    return nil, transport.reason(problem)
  end
  self.me:released(self.name)
  return true
end

-- trySetPermits(permits): true if the semaphore had not been given any yet; else false; or nil and why.
function Semaphore:try_set_permits(permits)
  local reply, why = insist(self, "set_permits", set_permits, { self.name, M.channel(self.name) },
                            { permits or self.capacity, publish })
  if why then
    return nil, why
  end
  return reply == 1
end

-- addPermits(permits), a negative number for fewer: returns true; or nil and why.
function Semaphore:add_permits(permits)
  local _, why = insist(self, "add_permits", add_permits, { self.name, M.channel(self.name) }, { permits, publish })
  if why then
    return nil, why
  end
  return true
end

-- drainPermits(): how many permits were taken; or nil and why. No client counts as their holder.
function Semaphore:drain()
  local taken, why = insist(self, "drain", drain, { self.name }, {})
  return tonumber(taken), why
end

-- The state in the keyspace. The capacity stands nowhere in it.
local function driver_of(capacity)
  return {
    spec = "semaphore",
    runtime = "threads",
    view = function(redis, name)
      return { permits = tonumber(redis.call("GET", name)) or 0, capacity = capacity,
               ttl_ms = redis.call("PTTL", name) }
    end,
  }
end

-- opts.permits: how many permits there are in all (1): try_set_permits sets them, and the judgement goes by it.
function M.semaphore(me, name, opts)
  local capacity = opts and opts.permits or 1
  me:observe(name, driver_of(capacity))
  return setmetatable({ me = me, name = name, capacity = capacity, opts = opts or {}, family = family }, Semaphore)
end

return M
