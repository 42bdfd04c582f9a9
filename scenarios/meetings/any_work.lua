-- any_work.lua: of every lock, two clients that work inside for any time: whatever one does may fall anywhere in the
-- other. No length is chosen, so none is the right one by luck.
--
-- A comes at once and B at any moment. That rules out nothing: before the first of two equal clients comes nothing
-- happens, and where they are not equal (redisson_read_write) there is a case for either. Two are sampled: the groups
-- of locks on several servers (redisson.multi, redisson.red_lock), whose graphs are too large for an ordinary run. And
-- redisson.fair_3_13 is seen for a minute: its graph has no end, for what is in its queue's past is never taken out.

local why_lease = { "violated", why = "The lease ends while its holder works: no lease can give this." }
local why_no_lease = { "violated", why = "There is no lease: the key never has a TTL." }
local why_publish = { "violated", why = "The last release calls redis.publish, which no Redis has." }
local why_keys = { "violated", why = "The readers' timeout keys are not among the scripts' KEYS." }
local why_no_ttl = { "violated", why = "Between SETNX and EXPIRE the key has no TTL." }

-- Take the lock that `new` makes, work, give it back.
local function once(new)
  return function(me)
    local lock = new(me)
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end
end

local function case(title, new, expect, more)
  local c = more or {}
  c.title = title .. ": work of any length"
  c.program = once(new)
  c.expect = expect
  c.expect.strict_mutual_exclusion = c.expect.strict_mutual_exclusion or "holds"
  c.must_see = c.must_see or { "contention" }
  return c
end

-- A lock whose driver takes these options.
local function plain(module, options, name)
  return function(me)
    return require(module).lock(me, name or "order:42", options)
  end
end

-- Permits are taken back by the name that acquire gave.
local function permits(options)
  return function(me)
    local pool, permit = require("redisson.permits").semaphore(me, "pool", options), nil
    pool:try_set_permits()
    return {
      acquire = function() permit = pool:acquire() return permit end,
      release = function() return pool:release(permit) end,
    }
  end
end

local function read_write(writer)
  return function(me)
    return require("redisson.read_write")[me.client == writer and "write" or "read"](me, "order:42")
  end
end

-- Of several locks, one on each server; Redisson's RedLock tries once, and who does not get it goes away.
local function group(module, count)
  return function(me)
    local locks = {}
    for i = 1, count do
      locks[i] = require("redisson.lock").lock(me:on(i), "order:42")
    end
    local all = require(module).lock(me, "order:42", locks)
    return module ~= "redisson.red_lock" and all or {
      acquire = function() return all:try_acquire(-1) end,
      release = function() return all:release() end,
    }
  end
end

local function semaphore(me)
  local pool = require("redisson.semaphore").semaphore(me, "pool", { permits = 1 })
  pool:try_set_permits()
  return pool
end

return {
  clients = { { "A", start_ms = 0 }, "B" },
  cases   = {
    basic_blocking = case("basic/blocking", plain("basic.blocking", { lease_ms = 2000 }),
      { strict_mutual_exclusion = why_lease }),
    basic_confirmed = case("basic/confirmed", plain("basic.confirmed", { lease_ms = 2000, retry_ms = 250 }),
      { strict_mutual_exclusion = why_lease }, { replicas = 1 }),
    basic_fenced = case("basic/fenced", plain("basic.fenced", { lease_ms = 2000, retry_ms = 250 }),
      { strict_mutual_exclusion = why_lease }),
    basic_renewed = case("basic/renewed", plain("basic.renewed", { lease_ms = 3000, retry_ms = 500 }), {}),
    basic_set_nx = case("basic/set_nx", plain("basic.set_nx", { lease_ms = 2000, retry_ms = 250 }),
      { strict_mutual_exclusion = why_lease }),
    basic_setnx_expire = case("basic/setnx_expire", plain("basic.setnx_expire", { lease_ms = 2000, retry_ms = 400 }),
      { strict_mutual_exclusion = why_lease, lease_set = why_no_ttl }),
    basic_ticket = case("basic/ticket", plain("basic.ticket", { retry_ms = 250 }), { lease_set = why_no_lease }),
    notes_fair = case("notes/fair", plain("notes.fair", nil, "{order:42}"), { prompt = { "holds", idle_ms = 1 } }),
    notes_reentrant = case("notes/reentrant", plain("notes.reentrant"), { script_health = why_publish }),
    notes_reentrant_mended = case("notes/reentrant_mended", plain("notes.reentrant_mended"),
      { prompt = { "holds", idle_ms = 1 } }),
    redis_py = case("redis_py/lock", plain("redis_py.lock", { lease_ms = 2000, retry_ms = 100 }),
      { strict_mutual_exclusion = why_lease }),
    redis_py_2_10 = case("redis_py/lock_2_10", plain("redis_py.lock_2_10", { lease_ms = 2000, retry_ms = 100 }),
      { strict_mutual_exclusion = why_lease, lease_set = why_no_ttl }),
    redis_py_2_9 = case("redis_py/lock_2_9", plain("redis_py.lock_2_9", { lease_ms = 2000, retry_ms = 400 }),
      { strict_mutual_exclusion = why_lease }),
    -- A waiter has a slot in the queue: 300 s from the end of the lease that it was first told of; asking again
    -- does not move it. If the watchdog keeps the lock longer, the release first drops each waiter whose slot is over,
    -- as every script of this lock does, and so wakes none. The waiter asks again when the last lease that it was told
    -- of is over: 30 s beside a free lock.
    redisson_fair = case("redisson/fair", plain("redisson.fair"), { prompt = { "holds", idle_ms = 30001 } }),
    redisson_fair_non_reentrant = case("redisson/fair_non_reentrant", function(me)
      return require("redisson.non_reentrant").fair(me, "order:42")
    end, { prompt = { "holds", idle_ms = 30001 } }),
    redisson_fair_3_13 = case("redisson/fair_3_13", plain("redisson.fair_3_13"), {}, { end_ms = 60000 }),
    redisson_faster_multi = case("redisson/faster_multi", function(me)
      return require("redisson.faster_multi").lock(me, "accounts", { "1", "2" })
    end, {}),
    redisson_fenced = case("redisson/fenced", plain("redisson.fenced"), {}),
    redisson_lock = case("redisson/lock", plain("redisson.lock"), { prompt = { "holds", idle_ms = 1 } }),
    redisson_lock_replicated = case("redisson/lock with a replica", plain("redisson.lock", { replicas = 1 }),
      {}, { replicas = 1 }),
    redisson_multi = case("redisson/multi of two", group("redisson.multi", 2), {},
      { servers = 2, explore = { random = 1000 } }),
    redisson_non_reentrant = case("redisson/non_reentrant", plain("redisson.non_reentrant"), {}),
    redisson_permits = case("redisson/permits", permits { permits = 1, lease_ms = 1000 },
      { strict_mutual_exclusion = why_lease }),
    redisson_read_write = case("redisson/read_write, the writer first", read_write("A"),
      { script_health = why_keys }),
    redisson_read_write_reader = case("redisson/read_write, the reader first", read_write("B"),
      { script_health = why_keys }),
    redisson_red_lock = case("redisson/red_lock of three", group("redisson.red_lock", 3), {},
      { servers = 3, explore = { random = 1000 } }),
    redisson_semaphore = case("redisson/semaphore", semaphore, {}),
    redisson_spin = case("redisson/spin", plain("redisson.spin", {
      lease_ms = 1000, back_off = function() return 64 end,
    }),
      { strict_mutual_exclusion = why_lease }),
    redlock_3 = case("redlock of three", function(me)
      return require("redlock.redlock").over(3).lock(me, "order:42", { lease_ms = 1000, retry_ms = 700 })
    end, { strict_mutual_exclusion = why_lease }, { servers = 3 }),
    simple_counted = case("simple/counted", plain("simple.counted", { lease_s = 2, retry_ms = 250 }),
      { strict_mutual_exclusion = why_lease }),
    simple_string = case("simple/string", plain("simple.string", { lease_s = 2, retry_ms = 250 }),
      { strict_mutual_exclusion = why_lease }),
  },
}
