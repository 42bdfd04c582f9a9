-- permits.lua: Redisson's semaphore whose permits run out (RPermitExpirableSemaphore), its scripts under permits/. A
-- number of permits to be had, and beside it a sorted set of those that are out, each by its name with the time at
-- which it comes back, by the clients' clocks. Only an acquire or a release of a permit looks at that set.
local join = require "redisson.join"
local names = require "redisson.names"
local patience = require "redisson.patience"
local pubsub = require "pubsub"
local semaphore = require "redisson.semaphore"
local transport = require "redisson.client.transport"

local acquire = script "redisson/permits/acquire.lua"
local release = script "redisson/permits/release.lua"
local release_all = script "redisson/permits/release_all.lua"
local update_lease = script "redisson/permits/update_lease.lua"
local set_permits = script "redisson/semaphore/set_permits.lua"

local M = {}

local publish = "PUBLISH"
local never = "922337203685477"                -- the time of a permit that was taken without a lease

local family = {}

local Permits = {}
Permits.__index = Permits

local function out_key(name)
  return names.suffix(name, "timeout")
end

local function nothing() end

-- A permit that no replica is known to have is given back by its name: harmless where there was none.
function family.undo(self, request)
  local permit = request.argv[#request.argv]
  return { script = release_all, keys = { self.name, semaphore.channel(self.name), out_key(self.name) },
           argv = { 1, self.me:now(), publish, permit } }
end

-- The acquire of a permit that bears this name and runs out at until_ms, both whenever it is sent again.
local function request_of(self, permit, until_ms)
  return { script = acquire, keys = { self.name, out_key(self.name), semaphore.channel(self.name) },
           argv = { 1, until_ms, self.me:now(), never, publish, permit },
           anew = function(again) return request_of(again, permit, until_ms) end }
end

local function insist(self, op, script, keys, argv)
  local reply, problem = transport.ask_until_answered(self, op, { script = script, keys = keys, argv = argv })
  if problem then
    return nil, transport.reason(problem)
  end
  return reply
end

-- One run of the acquire script. Returns the permit's name; or false and how long to wait for the next that runs out
-- (nil: none does); or nil and a problem.
local function attempt(self, lease_ms)
  local me, name = self.me, self.name
  local permit, now_ms = me:unique("permit"), me:now()
  local request = request_of(self, permit, lease_ms and now_ms + lease_ms or never)
  local reply, problem = transport.ask(self, "acquire", lease_ms, request, nothing)
  if problem then
    return nil, problem
  end
  if reply == "OK" then
    me:granted(name, { lease = lease_ms, count = 1 })
    return permit
  end
  me:refused(name)
  if reply == nil then
    return false
  end
  return false, math.max(0, tonumber(reply:sub(2)) - me:now())
end

local function failed(self, problem)
  self.me:gave_up(self.name)
  return nil, transport.reason(problem)
end

-- Parks until a message, or until the next permit runs out; left_ms nil: for as long as it takes.
local function park(entry, over_ms, left_ms)
  if over_ms == nil then
    return patience(entry.latch, left_ms)
  end
  return entry.latch:acquire(math.min(over_ms, left_ms or over_ms))
end

-- Asks, subscribes, and asks again; until_ms nil: for as long as it takes.
local function wait(self, lease_ms, until_ms)
  local me, name = self.me, self.name
  me:wants(name)
  local permit, over_ms = attempt(self, lease_ms)
  if permit == nil then
    return failed(self, over_ms)
  elseif permit then
    return permit
  end
  local function left_ms()
    return until_ms and until_ms - me:now()
  end
  if until_ms and left_ms() <= 0 then
    me:gave_up(name)
    return false
  end
  local entry, unsubscribed = join(me, semaphore.channel(name), left_ms() or semaphore.subscription_timeout_ms,
                                   until_ms, semaphore.on_message)
  if entry == nil then
    return failed(self, unsubscribed)
  elseif not entry then
    me:gave_up(name)
    return false
  end
  local interrupted
  repeat
    permit, over_ms = attempt(self, lease_ms)
    if permit ~= false or (until_ms and left_ms() <= 0) then
      break
    end
    local _
    _, interrupted = park(entry, over_ms, left_ms())
  until interrupted or (until_ms and left_ms() <= 0)
  pubsub.unsubscribe(me, entry)
  if permit == nil or interrupted then
    return failed(self, interrupted or over_ms)
  end
  if not permit then
    me:gave_up(name)
  end
  return permit
end

-- acquire(lease): returns the permit's name; or nil and why. Without lease_ms it never runs out.
function Permits:acquire(lease_ms)
  return wait(self, lease_ms or self.opts.lease_ms)
end

-- tryAcquire(wait, lease); without wait_ms one attempt. Returns the permit's name, false when the time is up, or nil
-- and why.
function Permits:try_acquire(wait_ms, lease_ms)
  return wait(self, lease_ms or self.opts.lease_ms, self.me:now() + (wait_ms or 0))
end

-- release(permit): true; nil, "not owner" when the permit has run out; or nil and why no answer came.
function Permits:release(permit)
  local me, name = self.me, self.name
  local reply, why = insist(self, "release", release, { name, semaphore.channel(name), out_key(name) },
                            { permit, 1, me:now(), publish })
  if why then
    return nil, why
  end
  if reply == 0 then
    me:lost(name)
    return nil, "not owner"
  end
  me:released(name)
  return true
end

-- updateLeaseTime(permit, lease): whether the permit was still out; or nil and why.
function Permits:update_lease(permit, lease_ms)
  local me, name = self.me, self.name
  local reply, why = insist(self, "renew", update_lease, { name, out_key(name), semaphore.channel(name) },
                            { permit, me:now() + lease_ms, me:now(), publish })
  if why then
    return nil, why
  end
  return reply == 1
end

-- trySetPermits(permits): true if the semaphore had not been given any yet; else false; or nil and why.
function Permits:try_set_permits(permits)
  local reply, why = insist(self, "set_permits", set_permits, { self.name, semaphore.channel(self.name) },
                            { permits or self.capacity, publish })
  if why then
    return nil, why
  end
  return reply == 1
end

local function driver_of(capacity)
  return {
    spec = "semaphore",
    runtime = "threads",
    view = function(redis, name)
      local holders, modes = {}, {}
      if redis.call("TYPE", out_key(name)) == "zset" then
        for _, permit in ipairs(redis.call("ZRANGE", out_key(name), 0, -1)) do
          holders[permit], modes[permit] = 1, "permit"
        end
      end
      return { holders = holders, modes = modes, permits = tonumber(redis.call("GET", name)) or 0, capacity = capacity,
               ttl_ms = redis.call("PTTL", name) }
    end,
  }
end

-- opts.permits: how many permits there are in all (1); opts.lease_ms: the lease of each acquire that names none.
function M.semaphore(me, name, opts)
  local capacity = opts and opts.permits or 1
  me:observe(name, driver_of(capacity))
  return setmetatable({ me = me, name = name, capacity = capacity, opts = opts or {}, family = family }, Permits)
end

return M
