-- The locks of redis-semaphore in the situations of every lock; of its forms over several servers, each asked at the
-- same time as the others, there are too many orders to take all.
local mutex = require "redis_semaphore.mutex"
local over = require "redis_semaphore.over"
local semaphore = require "redis_semaphore.semaphore"
local situations = require "situations"

local pool = semaphore.of { permits = 1, lease_ms = 2000 }
local over_one = over.mutex(1, { lease_ms = 1000 })
local over_three = {
  over.mutex(3, { lease_ms = 2000 }), over.semaphore(3, { permits = 1, lease_ms = 2000 }),
  over.multi_semaphore(3, { permits = 2, take = 2, lease_ms = 2000 }),
}

local function new(me)
  return mutex.lock(me, "order:42", { lease_ms = 2000, retry_ms = 250, wait_ms = false })
end

local function short(me)
  return mutex.lock(me, "order:42", { lease_ms = 1000, retry_ms = 250, wait_ms = false, refresh_ms = 0 })
end

-- Take it, work, give it back: on three servers.
local function on_three(which, fault)
  return {
    title   = "redis_semaphore/over: three servers, one of which starts again empty",
    servers = 3,
    program = situations.once(function(me)
      return over_three[which].lock(me, "order:42", { retry_ms = 250, wait_ms = 3000 })
    end),
    explore = { random = 300 },
    faults  = { [fault] = 1 },
    expect  = { mutual_exclusion = "violated" },
    must_see = { fault, "contention" },
  }
end

local cases = situations.cases("redis_semaphore/mutex", new, short, {
  uncontended = {},
  contended_2 = {
    -- Nothing wakes a waiter: the lock lies idle until its next try.
    expect   = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 250 } },
    must_see = { "contention" },
  },
  -- Work that takes any time without a refresh: it may outlast the lease.
  any_work = {
    title   = "work that takes any time",
    clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
    program = function(me)
      local lock = short(me)
      if lock:acquire() then
        me:work()
        lock:release()
      end
    end,
    expect   = { mutual_exclusion = "holds", owner_only = "holds", strict_mutual_exclusion = "violated" },
    must_see = { "contention", "expiry" },
  },
  -- The refresh keeps it for longer than its lease.
  refreshed = {
    title   = "held for longer than a lease",
    clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
    program = function(me)
      local lock = new(me)
      if lock:acquire() then
        me:work(me.client == "A" and 3500 or 10)
        assert(lock:release() == true)
      end
    end,
    expect   = { strict_mutual_exclusion = "holds", lease_set = "holds" },
    must_see = { "contention", "renewal" },
  },
  holder_crash = {
    -- What is left of the lease (2 s), and then at most one sleep.
    expect   = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 2251 } },
    must_see = { "crash", "contention" },
  },
  lease_expiry = {
    expect   = { mutual_exclusion = "holds", strict_mutual_exclusion = "violated" },
    must_see = { "contention", "expiry" },
  },
  non_owner = {
    -- Who holds nothing sends nothing.
    expect   = { strict_mutual_exclusion = "holds", owner_only = "holds" },
  },
  pause = {
    expect   = { mutual_exclusion = "holds", strict_mutual_exclusion = "violated" },
  },
})

-- A permit of one, held for longer than its lease.
cases.semaphore = {
  title   = "redis_semaphore/semaphore: held for longer than a lease",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local lock = pool.lock(me, "pool", { retry_ms = 250, wait_ms = false })
    if lock:acquire() then
      me:work(me.client == "A" and 3500 or 10)
      assert(lock:release() == true)
    end
  end,
  expect  = { strict_mutual_exclusion = "holds" },
  must_see = { "contention", "renewal" },
}
-- With the refresh, as it comes: who is told when the lease is over believes in it, and is promised nothing.
cases.over_told_late = {
  title   = "redis_semaphore/over: the answer comes when the lease is over",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local lock = over_one.lock(me, "order:42", { retry_ms = 1100, tries = 2, wait_ms = false })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A", op = "vote" } },
  expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "violated" },
  must_see = { "pause", "expiry" },
}
cases.three_mutex = on_three(1, "wipe")
cases.three_semaphore = on_three(2, "wipe")
cases.three_multi = on_three(3, "wipe")

return { clients = { "A", "B" }, program = situations.once(new), cases = cases }
