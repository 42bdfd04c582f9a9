-- reentrant_kind.lua: what seed 004's reentrant lock sends, whichever of its two releases it is given. All locks of all names share
-- the one channel that the seed prints, so every final release wakes the waiters of every lock.
local keyspace = require "keyspace"

local M = {}

function M.kind(acquire, release)
  local kind = { spec = "reentrant" }

  function kind.acquire(lock, lease_ms)
    return { script = acquire, keys = { lock.name }, argv = { lease_ms, lock.me.id } }
  end

  function kind.release(lock, lease_ms)
    return { script = release, keys = { lock.name }, argv = { lease_ms, lock.me.id } }
  end

  function kind.channel()
    return "unlock_channel"
  end

  function kind.view(redis, name)
    return {
      holders = keyspace.counts(redis, name),
      ttl_ms  = redis.call("PTTL", name),
      keys    = keyspace.existing(redis, { name }),
    }
  end

  return kind
end

return M
