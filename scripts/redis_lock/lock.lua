-- lock.lua: the npm package redis-lock 1.0.0: SET NX PX; a refused client asks again each 50 ms for as long as it
-- takes, one that got an error, too. The value is when the lock ends by its holder's clock, and no client ever compares
-- it: a release deletes the key, unless that time has passed by the holder's clock.
local evaluate = require "evaluate"
local keyspace = require "keyspace"

local M = { runtime = "event loop" }

local Lock = {}
Lock.__index = Lock

local function key_of(name)
  return "lock." .. name
end

-- acquireLock: one try. true, or false.
local function ask(self)
  local me, name, lease_ms = self.me, self.name, self.lease_ms
  local until_ms = me:now() + lease_ms + 1
  local options = { op = "acquire", lock = name, lease = lease_ms }
  local reply = me:call("SET", key_of(name), until_ms, "PX", lease_ms, "NX", options)
  if reply ~= "OK" then
    me:refused(name)
    return false
  end
  self.until_ms = until_ms
  me:granted(name, { lease = lease_ms })
  return true
end

-- Returns true, whenever that is.
function Lock:acquire()
  self.me:wants(self.name)
  while not ask(self) do
    self.me:sleep(math.max(1, self.retry_ms))
  end
  return true
end

-- The function that lock() hands out. Returns true: it never learns whether the lock was still its own.
function Lock:release()
  local me, name = self.me, self.name
  if self.until_ms > me:now() then
    -- locksim: allow LC003 as redis-lock has it
    local _, problem = me:call("DEL", key_of(name), { op = "release", lock = name })
    if problem then
      return nil, evaluate.reason(problem)
    end
  end
  me:released(name, { count = 0 })
  return true
end

-- The keyspace has an instant and no owner, so that no holder can be named.
function M.view(redis, name)
  return { keys = keyspace.existing(redis, { key_of(name) }) }
end

-- opts: lease_ms (5000), retry_ms (50).
function M.lock(me, name, opts)
  me:observe(name, M)
  opts = opts or {}
  return setmetatable({ me = me, name = name, lease_ms = opts.lease_ms or 5000, retry_ms = opts.retry_ms or 50 }, Lock)
end

return M
