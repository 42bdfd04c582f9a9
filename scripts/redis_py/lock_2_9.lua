-- lock_2_9.lua: redis-py's Lock up to release 2.9: the key's value is the instant at which the lease ends, by its
-- holder's clock, and the key has no TTL. A client that finds a past instant replaces it by its own (GETSET), and
-- has the lock if the value that it replaced is past, too. A release deletes any instant that is not before its own.
local evaluate = require "evaluate"
local keyspace = require "keyspace"
local retry = require "retry"

local Lock = {}
Lock.__index = Lock
retry.add(Lock)

function Lock:pause_ms()
  return self.retry_ms
end

local function passed(instant, now_ms)
  return (tonumber(instant) or 1) < now_ms
end

-- Takes the key if it is absent or its instant has passed. Returns whether it did; or nil and a problem.
local function take(self, until_ms)
  local me, name = self.me, self.name
  local options = { op = "acquire", lock = name, lease = self.lease_ms }
  local set, problem = me:call("SETNX", name, until_ms, options)
  if problem or set == 1 then
    return set and true, problem
  end
  local found
  found, problem = me:call("GET", name, { op = "look", lock = name })
  if problem or not passed(found, me:now()) then
    return not problem and false or nil, problem
  end
  found, problem = me:call("GETSET", name, until_ms, options)
  if problem then
    return nil, problem
  end
  return passed(found, me:now())
end

function Lock:attempt()
  local me, name = self.me, self.name
  local until_ms = me:now() + self.lease_ms
  local got, problem = take(self, until_ms)
  if problem then
    me:gave_up(name)
    return nil, evaluate.reason(problem)
  end
  if not got then
    me:refused(name)
    return false
  end
  self.until_ms = until_ms
  me:granted(name, { lease = self.lease_ms })
  return true
end

-- Returns true: it never learns that the lock was no longer its own.
function Lock:release()
  local me, name = self.me, self.name
  local found, problem = me:call("GET", name, { op = "release_look", lock = name })
  if problem then
    return nil, evaluate.reason(problem)
  end
  if (tonumber(found) or 1) >= self.until_ms then
    local _, failed = me:call("DEL", name, { op = "release", lock = name })
    if failed then
      return nil, evaluate.reason(failed)
    end
  end
  me:released(name, { count = 0 })
  return true
end

local M = {}

-- The keyspace has an instant and no owner, so that no holder can be named.
function M.view(redis, name)
  return { keys = keyspace.existing(redis, { name }) }
end

-- opts: lease_ms (2000), retry_ms (100).
function M.lock(me, name, opts)
  me:observe(name, M)
  opts = opts or {}
  return setmetatable({ me = me, name = name, lease_ms = opts.lease_ms or 2000, retry_ms = opts.retry_ms or 100 },
                      Lock)
end

return M
