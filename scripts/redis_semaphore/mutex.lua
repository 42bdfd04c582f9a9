-- mutex.lua: RedisMutex of the npm package redis-semaphore 5.8.0: SET NX PX with the object's identifier, scripts that
-- compare it to refresh and to release. Its key is mutex:NAME.
local evaluate = require "evaluate"
local keyspace = require "keyspace"
local lock = require "redis_semaphore.lock"

local refresh = script "redis_semaphore/mutex/refresh.lua"
local release = script "redis_semaphore/mutex/release.lua"

local M = { spec = "mutex", granted = "OK", runtime = "event loop" }

local kind = {}

local function key_of(name)
  return "mutex:" .. name
end

-- acquireMutex
function kind.ask(self, me)
  local lease_ms = self.opts.lease_ms
  local reply, problem = me:call("SET", key_of(self.name), self.id, "PX", lease_ms, "NX",
                                 { op = "acquire", lock = self.name, lease = lease_ms })
  if problem then
    return nil, problem
  end
  return reply == "OK"
end

-- refreshMutex
function kind.refresh(self, me)
  local lease_ms = self.opts.lease_ms
  local reply, problem = evaluate.ask(me, refresh, { key_of(self.name) }, { self.id, lease_ms },
                                      { op = "renew", lock = self.name, lease = lease_ms })
  return reply == 1, problem
end

-- releaseMutex
function kind.free(self, me)
  local reply, problem = evaluate.ask(me, release, { key_of(self.name) }, { self.id },
                                      { op = "release", lock = self.name })
  return reply == 1, problem
end

function M.view(redis, name)
  local key = key_of(name)
  local value = redis.call("TYPE", key) == "string" and redis.call("GET", key)
  return { holders = value and { [value:match("^[^/]*")] = 1 } or {}, ttl_ms = redis.call("PTTL", key),
           keys = keyspace.existing(redis, { key }) }
end

-- opts: those of redis_semaphore.lock.
function M.lock(me, name, opts)
  me:observe(name, M)
  return lock.new(kind, me, name, opts)
end

return M
