-- What goes well the first time and wrong the second: a second use of an object, a second thread of the process, a
-- second server, an answer that takes its time or comes when none waits for it. Each case was written for a mistake
-- that one can make in a driver, and that nothing else noticed.
local fenced = require "redisson.fenced"
local latch = require "redisson.latch"
local permits = require "redisson.permits"
local read_write = require "redisson.read_write"
local red_lock = require "redisson.red_lock"
local redisson = require "redisson.lock"
local semaphore = require "redisson.semaphore"
local redlock = require("redlock.redlock").over(3)
local simple_redis_mutex = require "simple_redis_mutex.lock"
local spin = require "redisson.spin"
local warlock = require "node_redis_warlock.warlock"

local name = "order:42"

-- A asks for the fenced lock and a token, and may be interrupted before it hears of it; B wants it, too.
local function token_of_nobody(b_from_ms, case)
  case.clients = { { "A", start_ms = 0 }, { "B", start_ms = b_from_ms } }
  case["program"] = function(me)
    local lock = fenced.lock(me, name, { replicas = case.replicas })
    local got, why = lock:acquire()
    if got then
      me:work(100)
      lock:release()
    elseif why == "nosync" then                -- it was told: what is there is cleared away
      lock:force_release()
    end
  end
  return case
end

-- How long `ask` took, by the caller's clock.
local function took_ms(me, ask)
  local from_ms = me:now()
  ask()
  return me:now() - from_ms
end

-- B waits for what never comes, for 500 ms, and subscribes. The confirmation is lost: then the SUBSCRIBE is given up
-- after 3 s, and undone. Or B is interrupted meanwhile: then it is not undone.
local function slow_subscription(wait, interrupted)
  return {
    clients = { { "B", start_ms = 10 } },
    program = function(me)
      local got, why
      local waited_ms = took_ms(me, function() got, why = wait(me) end)
      assert(got == false and waited_ms == 500 or interrupted and got == nil and why == "interrupted")
      local lock = redisson.lock(me, name)     -- something that is granted
      lock:acquire()
      lock:release()
      me:call("DEL", "gate")
    end,
    faults  = { [interrupted and "interrupt" or "lose_reply"] = { 1, op = "subscribe" } },
    expect  = { no_leak = interrupted and "violated" or "holds" },
    must_see = { interrupted and "interrupt" or "lose_reply" },
  }
end

-- How many connections hear the channel.
local function subscribers(me, channel)
  return me:call("PUBSUB", "NUMSUB", channel)[2]
end

-- B waits twice on one channel, each way takes 100 ms: the first time ends while the SUBSCRIBE is under way, `long` is
-- what follows a second later. `stays`: B is subscribed for good.
local function late_confirmation(stays, channel, take, wait, long)
  return {
    clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
    program = function(me)
      if me.client == "A" then
        take(me)
        return
      end
      assert(took_ms(me, function() assert(wait(me, 250) == false) end) == 250)
      me:sleep(1000)
      assert(subscribers(me, channel) == 1)
      long(me, wait)
    end,
    latency_ms = 100,
    expect  = { no_leak = stays and "violated" or "holds" },
  }
end

-- Two threads of B want what A holds, and hear of it as `first` says, each way takes 100 ms; then, at one channel, one
-- has its turn, and the other one's time ends before its own; and twice, for none may be left over of the first time.
local function turns(first, faults, schedule)
  return {
    clients = { { "A", start_ms = 0 }, { "B", threads = 2, start_ms = 10 } },
    program = function(me)
      local lock = redisson.lock(me, name)
      if me.client == "A" then
        lock:acquire { lease_ms = 10000 }
        return
      end
      local function refused(wait_ms)
        assert(took_ms(me, function() assert(lock:try_acquire(wait_ms) == false) end) == wait_ms)
      end
      local function failed(after_ms)
        local got, why
        assert(took_ms(me, function() got, why = lock:acquire() end) == after_ms)
        assert(got == nil and why == "timeout")
      end
      first(me, refused, failed)
      for _, at_ms in ipairs { 5000, 7000 } do
        me:sleep((me.thread == 1 and at_ms or at_ms + 50) - me:now() % 10000)
        refused(me.thread == 1 and 1000 or 300)
      end
      assert(me.thread == 2 or lock:try_acquire(8000, 1000) == true)
    end,
    latency_ms = 100, timeout_ms = 10000,
    faults  = faults,
    explore = { schedule = schedule },
  }
end
local to_subscribe = "+10 B B:2 +90 A.acquire +10 B.acquire B:2.acquire +90 A<answer.acquire A +10 B<answer.acquire " ..
                     "B B:2<answer.acquire B:2 +100 B.subscribe "
local unconfirmed = { lose_reply = { 1, op = "subscribe" } }

local function wait_for_latch(me)
  local gate = latch.latch(me, "gate")
  gate:try_set_count(1)
  return gate:await(500)
end

local function wait_for_semaphore(me)
  return semaphore.semaphore(me, "pool", { permits = 1 }):try_acquire(500)
end

local function wait_for_permits(me)
  return permits.semaphore(me, "pool", { permits = 1 }):try_acquire(500)
end

local function of_three(me)
  local locks = {}
  for i = 1, 3 do
    locks[i] = redisson.lock(me:on(i), name)
  end
  return red_lock.lock(me, "most", locks), locks
end

return {
  title = "the second time",
  cases = {
    -- The next wait for a spin lock asks soon at first, not as late as the last wait did in the end: after 1 and 2 ms,
    -- and one more by chance.
    spin_begins_anew = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 1 } },
      program = function(me)
        local lock = spin.lock(me, name)
        lock:acquire()
        if me.client == "A" then
          me:work(7)
          lock:release()
          me:sleep(200)
          lock:acquire()
          me:work(3)
          lock:release()
          return
        end
        lock:release()
        me:sleep(208 - me:now() % 1000)
        assert(took_ms(me, function() lock:acquire() end) <= 4)
        lock:release()
      end,
      must_see = { "contention" },
    },
    -- A token that no caller can be told of any more goes back, and its lock with it.
    fenced_token_goes_back = token_of_nobody(10, {
      faults = { interrupt = { 1, of = "A", op = "acquire" } },
      expect = { prompt = { "holds", idle_ms = 200 } },
      must_see = { "interrupt" },
    }),
    -- But for one that no replica is known to have: that has no holder until it ends.
    fenced_token_unsynced = token_of_nobody(5000, {
      replicas = 1,
      faults = { interrupt = { 1, of = "A", op = "acquire" }, lag = 1 },
      expect = { prompt = { "violated", idle_ms = 9000 } },
      must_see = { "interrupt", "lag" },
    }),
    -- Locks of one name at several servers are each renewed.
    red_lock_renewed = {
      servers = 3, clients = { { "A", start_ms = 0 }, { "B", start_ms = 40000 } },
      program = function(me)
        local lock = of_three(me)
        if me.client == "A" then
          assert(lock:try_acquire() == true)
          me:work(45000)
          lock:release()
        else
          assert(lock:try_acquire() == false)
        end
      end,
      expect = { strict_mutual_exclusion = "holds" },
    },
    -- One of two that wait in a process is let in: the other one hears the next message, too.
    simple_redis_mutex_two_waiters = {
      clients = { { "A", start_ms = 0 }, { "B", threads = 2, start_ms = 10 } },
      program = function(me)
        local lock = simple_redis_mutex.lock(me, name)
        lock:acquire()
        me:work(100)
        lock:release()
      end,
      expect = {
        prompt = { "holds", idle_ms = 1 },
        -- A process keeps its subscription, and the script takes a channel for a key.
        no_leak = "violated", script_health = "violated",
      },
      must_see = { "wait" },
    },
    -- A vote whose answer was lost is given back as well.
    redlock_unheard_votes = {
      servers = 3, clients = { { "A", start_ms = 0 }, { "B", start_ms = 1000 } },
      program = function(me)
        local lock = redlock.lock(me, name, { lease_ms = 10000 })
        if me.client == "B" then
          assert(lock:try_acquire() == true)
          lock:release()
        elseif lock:try_acquire() then
          lock:release()
        end
      end,
      faults  = { lose_reply = { 2, of = "A", op = "vote" } },
      must_see = { "lose_reply" },
    },
    -- A holder that asks again is refused, and still gives back what it holds.
    warlock_asks_again = {
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local lock = warlock.lock(me, name)
        assert(lock:try_acquire() == true)
        assert(lock:try_acquire() == false)
        assert(lock:release() == true)
        assert(me:call("EXISTS", name .. ":lock") == 0)
      end,
    },
    -- A permit that runs out is not waited for beyond one's own time.
    permits_own_time = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      program = function(me)
        local pool = permits.semaphore(me, "pool", { permits = 1, lease_ms = 5000 })
        if me.client == "A" then
          pool:try_set_permits()
          pool:acquire()
          return
        end
        assert(took_ms(me, function() assert(pool:try_acquire(100) == false) end) == 100)
      end,
      expect = { no_leak = "violated" },       -- A's permit stays out: no client asks any more
    },
    -- A subscription that takes all of one's time is a refusal, and an interrupt is none.
    latch_slow_subscription = slow_subscription(wait_for_latch),
    semaphore_slow_subscription = slow_subscription(wait_for_semaphore),
    permits_slow_subscription = slow_subscription(wait_for_permits),
    latch_interrupted = slow_subscription(wait_for_latch, true),
    semaphore_interrupted = slow_subscription(wait_for_semaphore, true),
    permits_interrupted = slow_subscription(wait_for_permits, true),
    -- Confirmed when the time is over: no client asks again, and the subscription is given up.
    latch_late_subscription = {
      clients = { { "B", start_ms = 10 } },
      program = function(me)
        local got
        local gate = latch.latch(me, "gate")
        gate:try_set_count(1)
        assert(took_ms(me, function() got = gate:await(500) end) == 600 and got == false)
        gate:count_down()
        assert(gate:await(500) == true)
      end,
      latency_ms = 150,                        -- each way: the look takes 300 ms, and so does SUBSCRIBE
    },
    -- Who has all the time waits for the confirmation for 3 s, and not longer.
    latch_unconfirmed = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      program = function(me)
        local gate = latch.latch(me, "gate")
        if me.client == "A" then
          gate:try_set_count(1)
          me:work(8000)
          gate:count_down()
          return
        end
        local got, why
        local waited_ms = took_ms(me, function() got, why = gate:await() end)
        assert(got == true or got == nil and why == "timeout" and waited_ms == 3000)
      end,
      timeout_ms = 10000,
      faults     = { lose_reply = { 1, op = "subscribe" } },
      must_see   = { "lose_reply", "wait" },
    },
    -- So does a tryLock, which says false then, with 7 s of its own time left. Two threads fail together: the second
    -- one waits for its turn while the first one waits for the confirmation.
    unconfirmed_for_two = {
      clients = { { "A", start_ms = 0 }, { "B", threads = 2, start_ms = 10 } },
      program = function(me)
        local lock = redisson.lock(me, name)
        if me.client == "A" then
          lock:acquire()
          me:work(20000)
          lock:release()
          return
        end
        local got
        local waited_ms = took_ms(me, function() got = lock:try_acquire(10000) end)
        assert(got == false and (waited_ms == 3000 or waited_ms == 10000))
      end,
      timeout_ms = 10000,
      faults     = { lose_reply = { 1, op = "subscribe" } },
      must_see   = { "lose_reply", "wait" },
    },
    -- Who waits for the confirmation waits for the UNSUBSCRIBE's answer, too, as long as it has time. Each way takes
    -- 100 ms.
    unconfirmed_and_slow = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      program = function(me)
        local lock = redisson.lock(me, name)
        if me.client == "A" then
          lock:acquire { lease_ms = 20000 }
          return
        end
        local got, why
        local waited_ms = took_ms(me, function() got, why = lock:acquire() end)
        assert(got == true or why == "timeout" and waited_ms == 3400)
        if got == nil then                     -- nothing is left of it: it subscribes, asks and waits as ever
          assert(took_ms(me, function() assert(lock:try_acquire(1000) == false) end) == 1000)
          me:sleep(20000)
          assert(lock:acquire { lease_ms = 5000 })
        end
        lock:release()
      end,
      latency_ms = 100, timeout_ms = 10000,
      faults   = { lose_reply = { 1, op = "subscribe" } },
      must_see = { "lose_reply" },
    },
    unconfirmed_beyond_its_time = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      program = function(me)
        local lock = redisson.lock(me, name)
        if me.client == "A" then
          lock:acquire { lease_ms = 20000 }
          return
        end
        assert(took_ms(me, function() assert(lock:try_acquire(3300) == false) end) == 3300)
      end,
      latency_ms = 100, timeout_ms = 10000,
      faults   = { lose_reply = { 1, op = "subscribe" } },
      must_see = { "lose_reply" },
    },
    -- Who has gone leaves nobody behind for the next one: it waits for its turn, and fails with the SUBSCRIBE.
    unconfirmed_for_the_next = {
      clients = { { "A", start_ms = 0 }, { "B", threads = 2, start_ms = 10 } },
      program = function(me)
        local lock = redisson.lock(me, name)
        if me.client == "A" then
          lock:acquire { lease_ms = 20000 }
          return
        elseif me.thread == 1 then
          assert(lock:try_acquire(500) == false)
          return
        end
        me:sleep(100)
        local got, why
        local waited_ms = took_ms(me, function() got, why = lock:acquire { lease_ms = 1000 } end)
        assert(got == true or why == "timeout" and (waited_ms == 2900 or waited_ms == 3000))
        if got then
          lock:release()
        end
      end,
      timeout_ms = 10000,
      faults   = { lose_reply = { 1, op = "subscribe" } },
      must_see = { "lose_reply" },
    },
    -- The turns at a channel. The second thread of B joins the first one's entry, or fails with it; or it finds what
    -- the first one has left behind.
    turns_together = turns(function(_, refused)
      refused(1000)
    end, nil, "+10"),
    turns_after_failure = turns(function(_, _, failed)
      failed(3400)
    end, unconfirmed, to_subscribe .. "!lose_reply B.subscribe"),
    turns_after_one_left = turns(function(me, refused, failed)
      if me.thread == 1 then
        refused(500)
      else
        failed(3200)
      end
    end, unconfirmed, to_subscribe .. "!lose_reply B.subscribe"),
    -- A semaphore's waiter whose time ends before its turn takes a place all the same, for good.
    place_taken_late = {
      clients = { { "B", threads = 2, start_ms = 0 } },
      program = function(me)
        local pool = semaphore.semaphore(me, "pool", { permits = 1 })
        if me.thread == 2 then
          me:sleep(50)
          assert(took_ms(me, function() assert(pool:try_acquire(300) == false) end) == 300)
          return
        end
        assert(pool:try_acquire(2000) == false)
        me:sleep(1000)
        assert(subscribers(me, "redisson_sc:{pool}") == 1)
        local lock = redisson.lock(me, name)   -- something that is granted
        lock:acquire()
        lock:release()
      end,
      latency_ms = 100,
      expect   = { no_leak = "violated" },
    },
    -- Whoever goes before the confirmation leaves the connection subscribed: the next one sends no SUBSCRIBE, and asks
    -- at once. When that one leaves, the subscription ends.
    subscribed_already = late_confirmation(false, "redisson_lock__channel:{" .. name .. "}", function(me)
      redisson.lock(me, name):acquire { lease_ms = 30000 }
    end, function(me, wait_ms)
      return redisson.lock(me, name):try_acquire(wait_ms)
    end, function(me, wait)
      assert(took_ms(me, function() assert(wait(me, 350) == false) end) == 400)
      me:sleep(1000)
      assert(subscribers(me, "redisson_lock__channel:{" .. name .. "}") == 0)
      assert(took_ms(me, function() assert(wait(me, 450) == false) end) == 600)      -- it subscribes again
    end),
    -- A semaphore's waiter leaves its place, too: the client never unsubscribes.
    place_left_taken = late_confirmation(true, "redisson_sc:{pool}", function() end, function(me, wait_ms)
      return semaphore.semaphore(me, "pool", { permits = 1 }):try_acquire(wait_ms)
    end, function(me, wait)
      assert(took_ms(me, function() assert(wait(me, 350) == false) end) == 400)
      me:sleep(1000)
      assert(subscribers(me, "redisson_sc:{pool}") == 1)
    end),
    -- No answer to a later request is no grant.
    asks_again_unanswered = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      program = function(me)
        local lock = redisson.lock(me, name)
        local got, why = lock:acquire()
        if got then
          assert(me:call("HEXISTS", name, me.id) == 1)
          me:work(1000)
          lock:release()
        else
          assert(got == nil and why == "timeout")
        end
      end,
      faults  = { lose_reply = { 1, of = "B", op = "acquire" } },
      must_see = { "wait", "timeout" },
    },
    -- A tryLock counts the time that its first answer took.
    try_lock_slow_answer = {
      clients = { { "B", start_ms = 0 }, { "A", start_ms = 10 } },
      program = function(me)
        local lock = redisson.lock(me, name)
        if me.client == "B" then
          lock:acquire { lease_ms = 20000 }
          return
        end
        local waited_ms = took_ms(me, function() assert(lock:try_acquire(1000) == false) end)
        assert(waited_ms >= 1000 and waited_ms <= 2500)
      end,
      latency_ms = 700,
    },
    -- The count has gone while a waiter subscribed: its message was not heard, and is not waited for.
    latch_gone_unheard = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      program = function(me)
        local gate = latch.latch(me, "gate")
        if me.client == "A" then
          assert(gate:try_set_count(1) == true)
          me:work(10)
          gate:count_down()
        else
          assert(gate:await() == true)
        end
      end,
      must_see = { "contention" },
    },
    -- One thread leaves the channel while another joins it, and that one hears the next message.
    leaves_and_joins = {
      clients = { { "B", start_ms = 0 }, { "A", threads = 2, start_ms = 10 } },
      program = function(me)
        local lock = redisson.lock(me, name)
        if me.id == "A:1" then
          assert(lock:try_acquire(100) == false)
          return
        elseif me.id == "A:2" then
          me:sleep(100)
        end
        lock:acquire()
        me:work(me.client == "B" and 3000 or 10)
        lock:release()
      end,
      expect = { prompt = { "holds", idle_ms = 1 } },
      must_see = { "wait" },
    },
    -- A message that comes while lock() swallows an interrupt is kept: the next wait has it at once.
    interrupted_and_woken = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      program = function(me)
        local lock = redisson.lock(me, name)
        if me.client == "A" then
          lock:acquire { lease_ms = 20000 }
          me:work(100)
          lock:release()
        else
          lock:acquire { lease_ms = 1000 }     -- and is gone when it ends, also where the interrupt broke off a request
        end
      end,
      faults  = { interrupt = { 1, of = "B" }, preempt = { 1, of = "B" } },
      expect  = { prompt = { "holds", idle_ms = 1 }, no_leak = "violated" },   -- as in slow_subscription
      must_see = { "interrupt", "preempt", "wait" },
    },
    -- The watchdog finds that one thread's hold is gone, and goes on renewing the other's.
    sibling_lost = {
      clients = { { "A", threads = 2, start_ms = 0 }, { "B", start_ms = 5000 }, { "C", start_ms = 36000 } },
      program = function(me)
        local lock = redisson.lock(me, name)
        if me.client == "B" then
          lock:force_release()
        elseif me.client == "C" then
          assert(lock:try_acquire() == false)
        elseif me.id == "A:1" then
          lock:acquire()
          me:sleep(15000)
          lock:release()
        else
          me:sleep(4000)
          lock:acquire()
          me:work(40000)
          lock:release()
        end
      end,
      -- A:1 does not know that its hold was taken from it.
      expect = { mutual_exclusion = "violated" },
    },
    -- Of the time that a latch's waiter has, its pauses count, and its looks do not once it has subscribed. Here and in
    -- what follows as the client's source has it.
    latch_slow_looks = {
      clients = { { "B", start_ms = 10 } },
      program = function(me)
        local got
        local gate = latch.latch(me, "gate")
        gate:try_set_count(1)
        assert(took_ms(me, function() got = gate:await(2000) end) == 2600 and got == false)
        gate:count_down()
        assert(gate:await(2000) == true)
      end,
      latency_ms = 150,                        -- 300 a look; 300 to subscribe; 1400 are left, between two looks
    },
    -- A lock that is forced open forgets its lease before the request is sent: also where nothing is ever heard of it.
    forced_unheard = {
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local lock = redisson.lock(me, name)
        lock:acquire { lease_ms = 5000 }
        lock:force_release()
        lock:acquire()
        assert(me:call("PTTL", name) == 30000)
        lock:release()
      end,
      faults  = { lose_reply = { 5, op = "force_release" } },
      must_see = { "lose_reply" },
    },
    -- A spin lock that no replica has is taken back, and its caller hears of it at once: it is not asked for once more,
    -- also where the caller is interrupted before it is taken back.
    spin_unsynced = {
      replicas = 1,
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local lock = spin.lock(me, name, { replicas = 1 })
        local got, why
        local waited_ms = took_ms(me, function() got, why = lock:acquire() end)
        if got then
          assert(waited_ms < 1000)
          lock:release()
        else
          assert(why == "nosync" and waited_ms == 2000 or why == "interrupted" and waited_ms >= 1000)
        end
        me:sleep(10000)
        assert(me:call("EXISTS", name) == 0)
      end,
      faults  = { lag = { 1, ms = 1500 }, interrupt = { 1, op = "release" } },
      must_see = { "lag", "interrupt" },
    },
    -- What is asked for once more goes by the name of its side.
    write_unsynced = {
      replicas = 1,
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local lock = read_write.write(me, name, { replicas = 1 })
        assert(lock:acquire() == true and lock:release() == true)
      end,
      faults  = { lag = { 1, ms = 1500 } },
      explore = { schedule = "!lag 1 A.acquire_write" },
      must_see = { "lag", "resend" },
    },
    -- What a semaphore's release gave back, and no replica has, is not given back once more, and its caller hears of
    -- that, which takes a second; also where the caller is interrupted while it waits.
    semaphore_released_unsynced = {
      replicas = 1,
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local pool = semaphore.semaphore(me, "pool", { permits = 1, replicas = 1 })
        pool:try_set_permits()
        pool:acquire()
        local given, why
        local waited_ms = took_ms(me, function() given, why = pool:release() end)
        assert(why == "interrupted" or (waited_ms < 1000) == (given == true) and (given or why == "nosync"))
        me:sleep(10000)
        assert(me:call("GET", "pool") == "1")
      end,
      faults  = { lag = { 1, ms = 2500 },      -- longer than the second that such a WAIT waits
                  interrupt = { 1, op = "release" } },
      must_see = { "lag", "resend", "interrupt" },
    },
    -- An acquire that no replica has is sent with the time as it is then: a permit that ran out meanwhile is there.
    permit_ran_out_meanwhile = {
      replicas = 1,
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local first = permits.semaphore(me, "pool", { permits = 1 })
        first:try_set_permits()
        first:acquire(500)
        local pool = permits.semaphore(me, "pool", { permits = 1, replicas = 1 })
        pool:acquire(60000)
        assert(me:unique("permit"):sub(-2) == ":3")      -- the second name did for both attempts
      end,
      faults  = { lag = { 1, ms = 3000 } },
      explore = { schedule = "A.set_permits A.acquire !lag 1" },
      expect  = { no_leak = "violated" },      -- it keeps what it got
      must_see = { "lag", "resend" },
    },
  },
}
