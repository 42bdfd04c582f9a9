-- read_write.lua: Redisson's read-write lock, its scripts under read_write/: two sides of one hash, which many may
-- read, or one may write. A writer may read as well; a reader cannot write. The sides differ in what they send and in
-- what renews them.
local client = require "redisson.client"
local keyspace = require "keyspace"
local names = require "redisson.names"
local on_message = require "redisson.read_write_message"
local read_watchdog = require "redisson.read_watchdog"
local watchdog = require "redisson.watchdog"

local scripts = {
  read = {
    acquire       = script "redisson/read_write/acquire_read.lua",
    release       = script "redisson/read_write/release_read.lua",
    force_release = script "redisson/read_write/force_release_read.lua",
  },
  write = {
    acquire       = script "redisson/read_write/acquire_write.lua",
    release       = script "redisson/read_write/release_write.lua",
    force_release = script "redisson/read_write/force_release_write.lua",
  },
}

local reader_freed, writer_freed = 0, 1        -- the messages: room for one waiter, or for all

local function names_of(name)
  return { channel = names.prefix("redisson_rwlock", name), tagged = names.tagged(name) }
end

local function channel(lock)
  return lock.names.channel
end

local function entry(lock)
  return lock.name
end

local function writer(owner)
  return owner .. ":write"
end

local function timeouts(lock)
  return names.suffix(lock.name, lock.me.id .. ":rwlock_timeout")
end

local function force_release(lock, side, message)
  return { script = scripts[side].force_release, keys = { lock.name, channel(lock) },
           argv = { message, client.publish } }
end

local reading = { mode = "read", names = names_of, shared = true, latched = true, channel = channel, entry = entry,
                  on_message = on_message, watchdog = read_watchdog }

function reading.acquire(lock, ttl_ms)
  local owner = lock.me.id
  return { script = scripts.read.acquire, keys = { lock.name, timeouts(lock) },
           argv = { ttl_ms, owner, writer(owner) } }
end
reading.try_once = reading.acquire

function reading.release(lock, latch)
  return { script = scripts.read.release, keys = { lock.name, channel(lock), timeouts(lock), lock.names.tagged,
                                                   latch },
           argv = { reader_freed, lock.me.id, client.publish, client.latch_ms(lock) } }
end

function reading.force_release(lock)
  return force_release(lock, "read", reader_freed)
end

local writing = { mode = "write", names = names_of, latched = true, channel = channel, entry = entry,
                  on_message = on_message }

-- The watchdog of plain locks, which gets the writer's name in the hash.
writing.watchdog = { cancel = watchdog.cancel }

function writing.watchdog.add(me, name, owner)
  watchdog.add(me, name, owner, writer(owner))
end

function writing.acquire(lock, ttl_ms)
  return { script = scripts.write.acquire, keys = { lock.name }, argv = { ttl_ms, writer(lock.me.id) } }
end
writing.try_once = writing.acquire

function writing.release(lock, latch)
  return { script = scripts.write.release, keys = { lock.name, channel(lock), latch },
           argv = { writer_freed, lock.object.lease_ms, writer(lock.me.id), client.publish, client.latch_ms(lock) } }
end

function writing.force_release(lock)
  return force_release(lock, "write", writer_freed)
end

local M = { spec = "read_write", runtime = "threads" }

-- The owners and how often each holds, as { [owner] = { read = count, write = count } }.
local function holders_of(redis, name)
  local holders = {}
  for field, count in pairs(keyspace.counts(redis, name)) do
    local owner = field:match("^(.*):write$")
    local mode = owner and "write" or "read"
    owner = owner or field
    holders[owner] = holders[owner] or {}
    holders[owner][mode] = count
  end
  return holders
end

function M.view(redis, name)
  local keys = keyspace.existing(redis, { name })
  keyspace.add_prefixed(redis, keys, names.suffix(name, ""))
  return {
    holders = holders_of(redis, name),
    ttl_ms  = redis.call("PTTL", name),
    keys    = keyspace.add_prefixed(redis, keys, names.latch(name, "")),
  }
end

M.read = client.constructor(M, reading)
M.write = client.constructor(M, writing)

return M
