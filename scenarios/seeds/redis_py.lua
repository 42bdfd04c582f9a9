-- redis_py/lock in the situations of every lock.
local redis_py = require "redis_py.lock"
local situations = require "situations"

local function new(me)
  return redis_py.lock(me, "order:42", { lease_ms = 2000, retry_ms = 250 })
end

local function short(me)
  return redis_py.lock(me, "order:42", { lease_ms = 1000, retry_ms = 250 })
end

return {
  clients = { "A", "B" },
  program = situations.once(new),
  cases   = situations.cases("redis_py/lock", new, short, {
    uncontended = {},
    contended_2 = {
      -- Nothing wakes a waiter: the lock lies idle until its next try.
      expect   = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 250 } },
      must_see = { "contention" },
    },
    -- Work that takes any time: it may outlast the lease.
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
    -- Each form of a longer life: added, in place, the whole again.
    extended = {
      title   = "held for longer than a lease",
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      program = function(me)
        local lock = new(me)
        local longer, why = lock:extend(1000)
        assert(longer == nil and why == "not held")
        if lock:acquire() then
          if me.client == "A" then
            me:work(1500)
            assert(lock:extend(1000) and lock:owned())
            me:work(1000)
            assert(lock:extend(2000, true) and lock:locked())
            me:work(1500)
            assert(lock:reacquire())
            me:work(1500)
          end
          assert(lock:release() == true)
        end
      end,
      expect   = { strict_mutual_exclusion = "holds", lease_set = "holds" },
      must_see = { "contention", "renewal" },
    },
    -- Since release 6.0: the pause before a request is sent again is 10 s at most.
    sent_again = {
      title   = "requests without an answer are sent again",
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local lock = redis_py.lock(me, "order:42", { lease_ms = 60000, retries = 4 })
        local from_ms = me:now()
        assert(lock:try_acquire() == true)
        assert(me:now() - from_ms <= 4 * 3000 + 2000 + 4000 + 8000 + 10000)
        assert(lock:release() == true)
      end,
      timeout_ms = 3000,
      faults   = { lose_request = { 4, of = "A", op = "acquire" } },
      must_see = { "resend", "lose_request" },
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
    -- A client that holds nothing is told so, and sends no request.
    non_owner = {
      program  = function(me)
        local lock = new(me)
        if me.client == "A" then
          lock:acquire()
          me:work(100)
          assert(lock:release() == true)
        else
          local freed, why = lock:release()
          assert(freed == nil and why == "not held")
        end
      end,
      expect   = { strict_mutual_exclusion = "holds", owner_only = "holds" },
    },
    pause = {
      expect   = { mutual_exclusion = "holds", strict_mutual_exclusion = "violated" },
    },
  }),
}
