-- multi_semaphore.lua: RedisMultiSemaphore of the npm package redis-semaphore 5.8.0: like its semaphore, but one
-- acquisition takes several permits or none. Their members are the identifier with _0, _1... behind it.
local evaluate = require "evaluate"
local keyspace = require "keyspace"
local lock = require "redis_semaphore.lock"
local semaphore = require "redis_semaphore.semaphore"

local acquire = script "redis_semaphore/multi_semaphore/acquire.lua"
local refresh = script "redis_semaphore/multi_semaphore/refresh.lua"
local release = script "redis_semaphore/multi_semaphore/release.lua"

local M = {}

local function argv_of(self, me)
  return { self.kind.limit, self.kind.permits, self.id, self.opts.lease_ms, me:now() }
end

-- acquireSemaphore
local function ask(self, me)
  local options = { op = "acquire", lock = self.name, lease = self.opts.lease_ms }
  local reply, problem = evaluate.ask(me, acquire, { semaphore.key(self.name) }, argv_of(self, me), options)
  if problem then
    return nil, problem
  end
  return reply == 1
end

-- refreshSemaphore
local function again(self, me)
  local options = { op = "renew", lock = self.name, lease = self.opts.lease_ms }
  local reply, problem = evaluate.ask(me, refresh, { semaphore.key(self.name) }, argv_of(self, me), options)
  return reply == 1, problem
end

-- releaseSemaphore
local function free(self, me)
  local options = { op = "release", lock = self.name }
  local reply, problem = evaluate.ask(me, release, { semaphore.key(self.name) }, { self.kind.permits, self.id },
                                      options)
  return reply == self.kind.permits, problem
end

-- The driver of a semaphore with so many permits, of which each acquisition takes `take`; its users all have the same
-- lease. pool: permits (2), take (2), lease_ms (10000).
function M.of(pool)
  local limit, lease_ms = pool.permits or 2, pool.lease_ms or 10000
  local driver = { spec = "semaphore", runtime = "event loop" }
  local kind = { limit = limit, permits = pool.take or 2, ask = ask, refresh = again, free = free }

  function driver.view(redis, name)
    local key = semaphore.key(name)
    local holders, out, modes = semaphore.holders(redis, key, lease_ms)
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
