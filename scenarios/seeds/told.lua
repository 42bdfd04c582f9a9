-- What drivers tell their callers when a request fails, a wait is over or a rule of a group applies: the values that
-- acquire, release and their kin return.
local blocking = require "basic.blocking"
local fenced = require "redisson.fenced"
local group = require "redisson.multi"
local keyevent = require "basic.keyevent"
local latch = require "redisson.latch"
local multi_semaphore = require "redis_semaphore.multi_semaphore"
local node_redlock = require "node_redlock.redlock"
local notes = require "notes.reentrant"
local old_fair = require "redisson.fair_3_13"
local old_redis_py = require "redis_py.lock_2_9"
local permits = require "redisson.permits"
local red_lock = require "redisson.red_lock"
local redis_py = require "redis_py.lock"
local redisson = require "redisson.lock"
local semaphore = require "redisson.semaphore"
local semaphore_mutex = require "redis_semaphore.mutex"
local simple_redis_mutex = require "simple_redis_mutex.lock"
local warlock = require "node_redis_warlock.warlock"

local name = "order:42"

-- A is alone; the answer to a request of this kind may be lost.
local function unanswered(op, program, expect)
  return { clients = { { "A", start_ms = 0 } }, program = program, faults = { lose_reply = { 1, op = op } },
           expect = expect, must_see = { "lose_reply" } }
end

-- True at once; or nil and "timeout", when the answer has been waited for.
local function done_or_timeout(me, lock, method)
  local from_ms = me:now()
  local done, why = lock[method](lock)
  if me:now() == from_ms then
    assert(done == true)
  else
    assert(done == nil and why == "timeout")
  end
  return done
end

local function acquire_unanswered(driver)
  return unanswered("acquire", function(me)
    local lock = driver.lock(me, name)
    if done_or_timeout(me, lock, "acquire") then
      lock:release()
    end
  end)
end

local function release_unanswered(driver)
  return unanswered("release", function(me)
    local lock = driver.lock(me, name)
    assert(lock:acquire() == true)
    done_or_timeout(me, lock, "release")
  end)
end

-- A holds the lock for a second (until its lease ends, where there are faults), B asks meanwhile: `ask` checks what B
-- is told.
local function beside(new, ask, more)
  local case = more or {}
  local stays = case.faults ~= nil
  case.clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } }
  case["program"] = function(me)
    local lock = new(me)
    if me.client == "A" then
      lock:acquire()
      if not stays then
        me:work(1000)
        lock:release()
      end
    else
      ask(lock, me)
    end
  end
  return case
end

-- B was interrupted, or has got it.
local function got_or_interrupted(lock, got, why)
  assert(got or got == nil and why == "interrupted")
  if got then
    lock:release(got)
  end
end

local interrupts_b = { interrupt = { 1, of = "B" } }

-- A SUBSCRIBE whose caller is interrupted is not undone.
local subscribe_left = { no_leak = "violated" }

-- simple_redis_mutex keeps its subscription, and its script takes a channel for a key.
local subscribed_for_ever = { no_leak = "violated" }
local subscribed_for_ever_and_slots = { no_leak = "violated", script_health = "violated" }

-- The release of notes calls redis.publish, which no Redis has.
local calls_publish = { script_health = "violated" }

local function of_two(me)
  return group.lock(me, "X and Y", { redisson.lock(me:on(1), "X"), redisson.lock(me:on(2), "Y") })
end

-- A takes a group of two with a lease; one of the requests that set it is lost.
local function lease_lost()
  return {
    servers = 2, clients = { { "A", start_ms = 0 } }, faults = { lose_request = { 1, op = "renew" } },
    program = function(me)
      local both, from_ms = of_two(me), me:now()
      assert(both:try_acquire(20000, 60000) == true)
      local took_ms = me:now() - from_ms
      assert(took_ms == 0 or took_ms > 3000)       -- an answer is waited for, and a pause comes before the next try
      assert(me:on(1):call("PTTL", "X") > 40000 and me:on(2):call("PTTL", "Y") > 40000)
      assert(both:release() == true)
    end,
  }
end

-- The same, and nothing that is sent for the lock arrives.
local function lease_never_set()
  return {
    clients = { { "A", start_ms = 0 } }, faults = { lose_request = { 5, op = "renew" } },
    program = function(me)
      local one = group.lock(me, "X alone", { redisson.lock(me, "X") })
      local got, why = one:try_acquire(20000, 60000)
      assert(got or got == nil and why == "timeout")
      if got then
        one:release()
      end
    end,
  }
end

-- A has "X" until it vanishes unheard, after for_ms; B takes a group of it with this lease, and has it after at most
-- most_ms.
local function vanished(for_ms, lease, most_ms)
  return {
    clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
    program = function(me)
      if me.client == "A" then
        redisson.lock(me, "X"):acquire()
        me:sleep(for_ms)
        me:call("DEL", "X")
        return
      end
      local one, from_ms = group.lock(me, "X alone", { redisson.lock(me, "X") }), me:now()
      assert(one:acquire(lease) == true)
      assert(me:now() - from_ms <= most_ms)
      if lease == nil then
        one:release()
      end
    end,
  }
end

-- The task, whose requests have a key each.
local function with_keys(me)
  return setmetatable({
    send = function(_, script, keys, argv, options)
      assert(#keys > 0)
      return me:send(script, keys, argv, options)
    end,
  }, {
    __index = function(_, field)
      local value = me[field]
      if type(value) ~= "function" then
        return value
      end
      return function(_, a, b, c, d, e, f, g)
        return value(me, a, b, c, d, e, f, g)
      end
    end,
  })
end

-- A RedLock of n servers; B has those of its locks that `taken` names.
local function votes(n, taken, check)
  return {
    servers = n, clients = { { "B", start_ms = 0 }, { "A", start_ms = 10 } },
    program = function(me)
      local locks = {}
      for i = 1, n do
        locks[i] = redisson.lock(me:on(i), name .. i, { lease_ms = 1000 })
      end
      if me.client == "B" then
        for _, i in ipairs(taken) do
          locks[i]:acquire()
        end
        return
      end
      check(me, red_lock.lock(me, "most", locks))
    end,
  }
end

return {
  title = "what callers are told",
  cases = {
    blocking_time_is_up = beside(function(me) return blocking.lock(me, name) end, function(lock)
      assert(lock:try_acquire(50) == false)
    end),
    keyevent_acquire = acquire_unanswered(keyevent),
    semaphore_mutex_acquire = acquire_unanswered(semaphore_mutex),
    warlock_acquire = acquire_unanswered(warlock),
    warlock_release = release_unanswered(warlock),
    warlock_touch = unanswered("renew", function(me)
      local lock = warlock.lock(me, name)
      lock:acquire()
      done_or_timeout(me, lock, "touch")
      lock:release()
    end, { script_health = "violated" }),          -- it sends a lease as if it were a key
    node_redlock_refused = beside(function(me) return node_redlock.over(1).lock(me, name) end, function(lock)
      assert(lock:try_acquire() == false)
    end),
    -- The server forgets the script after its first use, and one answer may be lost: that to the digest, to the text,
    -- or to the digest again. No request follows it.
    redis_py_release_unknown = {
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local lock = redis_py.lock(me, name, { lease_ms = 10000 })
        for _ = 1, 2 do
          if lock:acquire() and not done_or_timeout(me, lock, "release") then
            break
          end
        end
      end,
      faults   = { script_flush = 1, lose_reply = 1 },
      must_see = { "lose_reply", "script_flush" },
    },
    redis_py_2_9_release = release_unanswered(old_redis_py),
    -- It asks every 700 ms.
    redis_py_2_9_pause = beside(function(me)
      return old_redis_py.lock(me, name, { lease_ms = 2000, retry_ms = 700 })
    end, function(lock, me)
      local from_ms = me:now()
      assert(lock:acquire() == true and me:now() - from_ms == 1400)
      lock:release()
    end),
    simple_redis_mutex_acquire = unanswered("acquire", function(me)
      done_or_timeout(me, simple_redis_mutex.lock(me, name), "try_acquire")
    end, subscribed_for_ever),
    simple_redis_mutex_refresh = unanswered("look", function(me)
      local lock = simple_redis_mutex.lock(me, name)
      lock:acquire()
      done_or_timeout(me, lock, "refresh")
      lock:release()
    end, subscribed_for_ever_and_slots),
    -- The watchdog renews every 10 s.
    notes_watchdog = {
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local lock = notes.lock(me, name)
        lock:acquire()
        me:work(45000)
        assert(me:call("PTTL", name) > 20000)
        lock:release()
      end,
      expect = calls_publish,
    },
    notes_force_release = {
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local lock = notes.lock(me, name)
        lock:acquire()
        assert(lock:force_release() == true)
        assert(lock:force_release() == false)
      end,
    },
    notes_subscribe = beside(function(me) return notes.lock(me, name, { lease_ms = 3000 }) end, function(lock)
      got_or_interrupted(lock, lock:acquire())
    end, { faults = interrupts_b, expect = calls_publish }),
    multi_semaphore = {
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local pool = multi_semaphore.of { permits = 2, take = 1, lease_ms = 2000 }
        local lock = pool.lock(me, "pool")
        assert(lock:try_acquire())
        assert(me:call("ZCARD", "semaphore:pool") == 1 and me:call("PTTL", "semaphore:pool") == 2000)
        lock:release()
      end,
    },
    fenced_interrupted = beside(function(me)
      return (me.client == "A" and fenced.without_token or fenced.lock)(me, name, { lease_ms = 1000 })
    end, function(lock)
      got_or_interrupted(lock, lock:acquire())
    end, { faults = { interrupt = { 1, of = "B", op = "subscribe" } } }),
    try_lock_interrupted = beside(function(me) return redisson.lock(me, name, { lease_ms = 1000 }) end, function(lock)
      got_or_interrupted(lock, lock:try_acquire(5000))
    end, { faults = interrupts_b, expect = subscribe_left }),
    force_unlock_interrupted = {
      clients = { { "A", start_ms = 0 } }, faults = { interrupt = { 1, op = "force_release" } },
      program = function(me)
        local lock = redisson.lock(me, name, { lease_ms = 1000 })
        lock:acquire()
        local done, why = lock:force_release()
        assert(done == true or done == nil and why == "interrupted")
      end,
    },
    -- A wait that is cut is not one whose time is up.
    latch_interrupted = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } }, faults = interrupts_b,
      expect = subscribe_left,
      program = function(me)
        local gate = latch.latch(me, "gate")
        if me.client == "A" then
          assert(gate:try_set_count(1) == true)
          me:work(300)
          gate:count_down()
          return
        end
        local through, why = gate:await(5000)
        assert(through or through == nil and why == "interrupted")
      end,
    },
    permits_interrupted = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } }, faults = interrupts_b,
      expect = subscribe_left,
      program = function(me)
        local pool = permits.semaphore(me, "pool", { permits = 1, lease_ms = 1000 })
        pool:try_set_permits()
        local permit, why = pool:acquire()
        if not permit then
          assert(permit == nil and why == "interrupted")
          return
        end
        local kept, trouble = pool:update_lease(permit, 1000)
        assert(kept == true or kept == nil and trouble == "interrupted")
        pool:release(permit)
      end,
    },
    semaphore_add = {
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local pool = semaphore.semaphore(me, "pool", { permits = 2 })
        assert(pool:try_set_permits(1) == true)
        assert(pool:add_permits(1) == true)
        assert(pool:try_acquire(0, 2) == true)
        pool:release(2)
      end,
    },
    group_lease_lost = lease_lost(),
    group_lease_never_set = lease_never_set(),
    -- A round of lock() is 1500 ms for each lock; then it asks again.
    group_round = vanished(100, nil, 1500),
    -- With a lease of 1 ms it is 1 ms at most.
    group_short_round = vanished(12, 1, 3),
    -- A release without a latch deletes none.
    fair_3_13_no_latch = {
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local lock = old_fair.lock(with_keys(me), name, { lease_ms = 1000 })
        assert(lock:acquire() == true)
        assert(lock:release() == true)
      end,
    },
    -- Two of three said no.
    red_lock_refused = votes(3, { 1, 2 }, function(_, lock)
      assert(lock:try_acquire() == false)
    end),
    -- Three of five are enough: after a refusal the fifth is not asked.
    red_lock_enough = votes(5, { 4 }, function(me, lock)
      assert(lock:try_acquire() == true)
      assert(me:on(5):call("EXISTS", name .. 5) == 0)
    end),
  },
}
