-- semaphore.lua: RedisSemaphore of the npm package redis-semaphore 5.8.0: a sorted set semaphore:NAME of its holders'
-- identifiers, each with the time of its last acquire or refresh by its own client's clock. An acquire drops those
-- whose lease, assumed to be as long as its own, is over by its own clock.
local evaluate = require "evaluate"
local keyspace = require "keyspace"
local lock = require "redis_semaphore.lock"

local acquire = script "redis_semaphore/semaphore/acquire.lua"
local refresh = script "redis_semaphore/semaphore/refresh.lua"

local M = {}

function M.key(name)
  return "semaphore:" .. name
end

local function argv_of(self, me)
  return { self.kind.limit, self.id, self.opts.lease_ms, me:now() }
end

-- acquireSemaphore
local function ask(self, me)
  local options = { op = "acquire", lock = self.name, lease = self.opts.lease_ms }
  local reply, problem = evaluate.ask(me, acquire, { M.key(self.name) }, argv_of(self, me), options)
  if problem then
    return nil, problem
  end
  return reply == 1
end

-- refreshSemaphore
local function again(self, me)
  local options = { op = "renew", lock = self.name, lease = self.opts.lease_ms }
  local reply, problem = evaluate.ask(me, refresh, { M.key(self.name) }, argv_of(self, me), options)
  return reply == 1, problem
end

-- releaseSemaphore
local function free(self, me)
  local reply, problem = me:call("ZREM", M.key(self.name), self.id, { op = "release", lock = self.name })
  return reply == 1, problem
end

-- Those whose lease is not over, and how many permits each has; how many are out; and each one's mode, for a lease is
-- no key's TTL here.
function M.holders(redis, key, lease_ms)
  local holders, modes, out = {}, {}, 0
  if redis.call("TYPE", key) == "zset" then
    local flat = redis.call("ZRANGE", key, 0, -1, "WITHSCORES")
    for i = 1, #flat, 2 do
      local left_ms = redis.ms_left(tonumber(flat[i + 1]) + lease_ms)
      if left_ms and left_ms > 0 then
        local owner = flat[i]:match("^[^/]*")
        holders[owner], modes[owner] = (holders[owner] or 0) + 1, "permit"
        out = out + 1
      end
    end
  end
  return holders, out, modes
end

-- The driver of a semaphore with so many permits, whose users all have the same lease. opts: permits (1), lease_ms
-- (10000).
function M.of(pool)
  local limit, lease_ms = pool.permits or 1, pool.lease_ms or 10000
  local driver = { spec = "semaphore", runtime = "event loop" }
  local kind = { limit = limit, permits = 1, ask = ask, refresh = again, free = free }

  function driver.view(redis, name)
    local key = M.key(name)
    local holders, out, modes = M.holders(redis, key, lease_ms)
    return { holders = holders, modes = modes, permits = math.max(0, limit - out), capacity = limit,
             keys = keyspace.existing(redis, { key }) }
  end

  -- opts: those of redis_semaphore.lock; lease_ms: in place of the pool's.
  function driver.lock(me, name, opts)
    me:observe(name, driver)
    opts = opts or {}
    opts.lease_ms = opts.lease_ms or lease_ms
    return lock.new(kind, me, name, opts)
  end

  return driver
end

return M
