-- fair_client.lua: the requests of Redisson's fair lock, for each version of its scripts. Beside the lock's hash stand
-- a list of waiting owners and a sorted set of their deadlines by the clients' clocks; every waiter has a channel of
-- its own.
local client = require "redisson.client"
local keyspace = require "keyspace"
local names = require "redisson.names"
local slot = require "redisson.slot"

local M = {}

-- The keys and channels that are named after a lock; channels: the common prefix of the waiters' channels.
local function names_of(name)
  local tagged = names.tagged(name)
  return { queue = "redisson_lock_queue:" .. tagged, deadlines = "redisson_lock_timeout:" .. tagged,
           channels = "redisson_lock__channel:" .. tagged }
end

-- The lock's state in the keyspace.
function M.look(redis, name)
  local own = names_of(name)
  local keys = keyspace.existing(redis, { name, own.queue, own.deadlines })
  return {
    holders = keyspace.counts(redis, name),
    ttl_ms  = redis.call("PTTL", name),
    queue   = keyspace.queue(redis, own.queue),
    keys    = keyspace.add_prefixed(redis, keys, names.latch(name, "")),
  }
end

-- The `lock` of a driver. `scripts`: acquire, try_once, release, force_release, abandon. `latched`: the release takes
-- a latch and a publish command. refusal: the error for an owner that asks again, where it may not. Of the lock's
-- options, slot.lua reads slot_ms and wait_unit_ms.
function M.constructor(driver, scripts, latched, refusal)
  local family = { latched = latched, names = names_of }

  function family.channel(lock)
    return lock.names.channels .. ":" .. lock.me.id
  end

  function family.entry(lock)
    return lock.name .. ":" .. lock.me.id
  end

  local function keys_of(lock)
    return { lock.name, lock.names.queue, lock.names.deadlines }
  end

  family.expires = keys_of

  function family.acquire(lock, ttl_ms, wait_ms, lease_ms)
    return { script = scripts.acquire, keys = keys_of(lock),
             argv = { ttl_ms, lock.me.id, slot.of_acquire(lock, wait_ms, lease_ms), lock.me:now(), refusal } }
  end

  function family.try_once(lock, ttl_ms, wait_ms, lease_ms)
    return { script = scripts.try_once, keys = keys_of(lock),
             argv = { ttl_ms, lock.me.id, lock.me:now(), slot.of_acquire(lock, wait_ms, lease_ms), refusal } }
  end

  function family.release(lock, latch)
    local keys = keys_of(lock)
    local argv = { client.unlock_message, lock.object.lease_ms, lock.me.id, lock.me:now() }
    keys[4] = lock.names.channels
    if latched then
      keys[5] = latch
      argv[5] = client.publish
      argv[6] = client.latch_ms(lock)
    end
    return { script = scripts.release, keys = keys, argv = argv }
  end

  function family.force_release(lock)
    local keys = keys_of(lock)
    local argv = { client.unlock_message, lock.me:now() }
    keys[4] = lock.names.channels
    if latched then
      argv[3] = client.publish
    end
    return { script = scripts.force_release, keys = keys, argv = argv }
  end

  function family.abandon(lock, wait_ms)
    return { script = scripts.abandon, keys = { lock.names.queue, lock.names.deadlines },
             argv = { lock.me.id, slot.of_abandon(lock, wait_ms) } }
  end
  if scripts.abandon == nil then               -- the oldest versions have none
    family.abandon = nil
  end

  return client.constructor(driver, family)
end

return M
