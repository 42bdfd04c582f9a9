-- lock.lua: Redisson's reentrant lock (RLock), its scripts under lock/. One hash per lock: owner -> holds; waiters of
-- all processes hear one channel and race for the lock.
local client = require "redisson.client"
local keyspace = require "keyspace"
local names = require "redisson.names"

local acquire = script "redisson/lock/acquire.lua"
local release = script "redisson/lock/release.lua"
local force_release = script "redisson/lock/force_release.lua"

local family = { latched = true }

function family.names(name)
  return { channel = names.prefix("redisson_lock__channel", name) }
end

function family.channel(lock)
  return lock.names.channel
end

function family.entry(lock)
  return lock.name
end

function family.acquire(lock, ttl_ms)
  return { script = acquire, keys = { lock.name }, argv = { ttl_ms, lock.me.id } }
end
family.try_once = family.acquire

function family.release(lock, latch)
  return { script = release, keys = { lock.name, family.channel(lock), latch },
           argv = { client.unlock_message, lock.object.lease_ms, lock.me.id, client.publish, client.latch_ms(lock) } }
end

function family.force_release(lock)
  return { script = force_release, keys = { lock.name, family.channel(lock) },
           argv = { client.unlock_message, client.publish } }
end

local M = { spec = "reentrant", runtime = "threads", family = family }    -- family: for locks that differ in little

function M.view(redis, name)
  local keys = keyspace.existing(redis, { name })
  return {
    holders = keyspace.counts(redis, name),
    ttl_ms  = redis.call("PTTL", name),
    keys    = keyspace.add_prefixed(redis, keys, names.latch(name, "")),
  }
end

M.lock = client.constructor(M, family)

return M
