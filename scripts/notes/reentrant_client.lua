-- reentrant_client.lua: the requests of seed 004's reentrant lock, whichever of its two releases it is given. All
-- locks of all names share the one channel that the seed prints, so every last release wakes the waiters of every
-- lock.
local client = require "notes.client"
local keyspace = require "keyspace"

local M = {}

function M.look(redis, name)
  return {
    holders = keyspace.counts(redis, name),
    ttl_ms  = redis.call("PTTL", name),
    keys    = keyspace.existing(redis, { name }),
  }
end

-- The `lock` of a driver with these scripts.
function M.constructor(driver, acquire, release)
  local kind = {}

  function kind.acquire(lock, lease_ms)
    return { script = acquire, keys = { lock.name }, argv = { lease_ms, lock.me.id } }
  end

  function kind.release(lock, lease_ms)
    return { script = release, keys = { lock.name }, argv = { lease_ms, lock.me.id } }
  end

  function kind.channel()
    return "unlock_channel"
  end

  return client.constructor(driver, kind)
end

return M
