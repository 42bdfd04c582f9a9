-- redisson/spin in situations of its own.
local redisson = require "redisson.spin"

return {
  cases = {
    -- Two clients want the lock at once, and without a message: a waiter asks again, at first after 1 ms, then after 2,
    -- 4 and so on.
    contended_2 = {
      title   = "redisson/spin: two clients",
      clients = { "A", "B" },
      program = function(me)
        local lock = redisson.lock(me, "order:42")
        if lock:acquire() then
          me:work(100)
          lock:release()
        end
      end,
      expect  = {
        strict_mutual_exclusion = "holds",
        -- One that comes 22 to 37 ms later has slept six times, 1 to 32 ms and up to 15 ms of jitter, when the
        -- lock becomes free. Refused just before, it sleeps 64 ms and 6 more.
        prompt = { "holds", idle_ms = 70 },
        no_busy_wait = "holds",
      },
      must_see = { "contention" },
    },
    -- One thread takes the lock twice, another frees it by force: the count is right, and the one who lost it is told.
    reentrant = {
      title   = "redisson/spin: holds within holds, and a forceUnlock",
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 50 } },
      program = function(me)
        local lock = redisson.lock(me, "order:42", { back_off = redisson.constant })
        if me.client == "B" then
          lock:force_release()
          return
        end
        lock:acquire()
        lock:acquire()
        me:work(me:choose { 10, 100 })
        local freed, why = lock:release()
        if freed == false then
          assert(lock:release() == true)
        else
          assert(freed == nil and why == "not owner")
        end
      end,
      expect  = {
        reentrancy = "holds",
        matches_spec = "holds",
      },
      must_see = { "re-entry", "release" },
    },
  },
}
