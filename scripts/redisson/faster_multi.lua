-- faster_multi.lua: Redisson's faster multi-lock, its scripts under faster_multi/: several named values of one group, taken at once. The
-- group is one hash; each value has an owner, a time at which it runs out by the clients' clocks, and a count of holds.
-- Nothing takes out a value that has run out but its next owner.
local client = require "redisson.client"
local names = require "redisson.names"
local renewal = require "redisson.renewal"

local acquire = script "redisson/faster_multi/acquire.lua"
local release = script "redisson/faster_multi/release.lua"
local force_release = script "redisson/faster_multi/force_release.lua"
local renew = script "redisson/faster_multi/renew.lua"

local kind = { name = "redisson_faster_multi_watchdog", op = "renew", batch_max = 1 }

function kind.asks_for(entry)
  return { entry.owners[1] }
end

function kind.request(batch, me)
  local owner = batch[1].owners[1]
  local held = batch[1].aliases[owner]
  local argv = { renewal.timeout_ms, me:now(), owner }
  for i, value in ipairs(held.values) do
    argv[3 + i] = value
  end
  return { script = renew, keys = { held.group }, argv = argv }
end

local renewals = renewal.of(kind)

-- What is sent for these values of the group.
local function family_of(group, values)
  local family = { latched = true }

  local function with_values(argv)
    for _, value in ipairs(values) do
      argv[#argv + 1] = value
    end
    return argv
  end

  function family.channel()
    return names.prefix("redisson_lock__channel", group)
  end

  function family.entry()
    return group
  end

  function family.acquire(lock, ttl_ms)
    return { script = acquire, keys = { group }, argv = with_values { ttl_ms, lock.me.id, lock.me:now() } }
  end
  family.try_once = family.acquire

  function family.release(lock, latch)
    return { script = release, keys = { group, family.channel(), latch },
             argv = with_values { client.unlock_message, lock.me.id, lock.me:now(), client.publish, client.latch_ms } }
  end

  function family.force_release()
    return { script = force_release, keys = { group, family.channel() },
             argv = with_values { client.unlock_message, client.publish } }
  end

  family.watchdog = {
    add = function(me, name, owner)
      renewals.add(me, name, owner, { group = group, values = values })
    end,
    cancel = renewals.cancel,
  }
  return family
end

-- They are held by whoever owns each of them; for how long only the clients' clocks can tell.
local function view_of(group, values)
  return function(redis)
    local owner, count
    for _, value in ipairs(values) do
      local whose = redis.call("HGET", group, value)
      if not whose or (owner and whose ~= owner) then
        return { ttl_ms = -2 }
      end
      local holds = tonumber(redis.call("HGET", group, value .. ":" .. whose .. ":lock_count"))
      owner, count = whose, math.min(count or holds, holds)
    end
    return { holders = { [owner] = count }, ttl_ms = redis.call("PTTL", group) }
  end
end

local M = {}

-- The values of the group as one lock, known as "{group}:values". Whoever names others of them has another lock.
function M.lock(me, group, values, opts)
  local name = names.suffix(group, table.concat(values, " "))
  local driver = { spec = "none", view = view_of(group, values) }
  return client.constructor(driver, family_of(group, values))(me, name, opts)
end

return M
