-- faster_multi.lua: Redisson's faster multi-lock, its scripts under faster_multi/: several named values of one group,
-- taken at once. The group is one hash; each value has an owner, a time at which it runs out by the clients' clocks,
-- and a count of holds. Nothing takes out a value that has run out but its next owner: it is anybody's from then on.
local client = require "redisson.client"
local names = require "redisson.names"
local renewal = require "redisson.renewal"

local acquire = script "redisson/faster_multi/acquire.lua"
local try_once = script "redisson/faster_multi/try_once.lua"
local release = script "redisson/faster_multi/release.lua"
local force_release = script "redisson/faster_multi/force_release.lua"
local renew = script "redisson/faster_multi/renew.lua"

local kind = { name = "redisson_faster_multi_watchdog", op = "renew", batch_max = 1 }

function kind.asks_for(entry)
  return { entry.owners[1] }
end

-- A group has one entry, and what is renewed are the values of the lock that was noted first; those of a second one
-- run out.
function kind.request(batch, me)
  local owner = batch[1].owners[1]
  local argv = { renewal.timeout_ms, me:now(), owner }
  for i, value in ipairs(batch[1].values) do
    argv[3 + i] = value
  end
  return { script = renew, keys = { batch[1].name }, argv = argv }
end

local renewals = renewal.of(kind)

-- The requests for these values of the group. key: the name in the latch's name. retried: a request without an
-- answer is sent again, an acquire too. keeps_lease: no release resets the lease field. throws_timeout: tryLock says
-- so where an answer does not come. deaf: lockInterruptibly() without a lease is lock(), and swallows an interrupt.
local function family_of(group, values)
  local family = { key = group, latched = true, retried = true, keeps_lease = true, throws_timeout = true,
                   deaf = true }

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
    return { script = acquire, keys = { group }, argv = with_values { ttl_ms, lock.me:now(), lock.me.id } }
  end

  function family.try_once(lock, ttl_ms)
    return { script = try_once, keys = { group }, argv = with_values { lock.me:now(), ttl_ms, lock.me.id } }
  end

  -- tryLock() answers 1 for "yours"; the others have nil for that.
  function family.read_once(reply)
    return reply ~= 1 and reply or nil
  end

  function family.release(lock, latch)
    return { script = release, keys = { group, family.channel(), latch },
             argv = with_values { lock.me.id, client.unlock_message, lock.object.lease_ms, client.publish,
                                  client.latch_ms(lock), lock.me:now() } }
  end

  function family.force_release()
    return { script = force_release, keys = { group, family.channel() },
             argv = with_values { client.unlock_message, client.publish } }
  end

  family.watchdog = {
    add = function(me, _, owner)
      renewals.add(me, group, owner, nil, values)
    end,
    cancel = function(me, _, owner)
      renewals.cancel(me, group, owner)
    end,
  }
  return family
end

-- Of a value its owner and how often it holds it; nothing once its time is over.
local function owner_of(redis, group, value)
  local owner = redis.call("HGET", group, value)
  local hold = owner and value .. ":" .. owner
  local left_ms = hold and redis.ms_left(redis.call("HGET", group, hold .. ":expire_time"))
  if left_ms and left_ms > 0 then
    return owner, tonumber(redis.call("HGET", group, hold .. ":lock_count")) or 1
  end
end

-- An owner that has each of the values holds them, as often as the one it holds most. An owner that has only some of
-- them, through another lock of the group or because the others have run out, has a part.
local function view_of(group, values)
  return function(redis)
    local holders, modes, owned = {}, {}, {}
    for _, value in ipairs(values) do
      local owner, count = owner_of(redis, group, value)
      if owner then
        owned[owner] = (owned[owner] or 0) + 1
        holders[owner] = math.max(holders[owner] or 0, count)
      end
    end
    for owner, n in pairs(owned) do
      modes[owner] = n < #values and "part" or nil
    end
    return { holders = holders, modes = modes, ttl_ms = next(holders) and redis.call("PTTL", group) or -2 }
  end
end

local M = {}

-- The values of the group as one lock, known as "{group}:values". Other values of the group are another lock.
function M.lock(me, group, values, opts)
  local name = names.suffix(group, table.concat(values, " "))
  local driver = { spec = "grouped", runtime = "threads", view = view_of(group, values) }
  return client.constructor(driver, family_of(group, values))(me, name, opts)
end

return M
