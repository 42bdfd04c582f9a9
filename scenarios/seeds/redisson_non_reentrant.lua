-- redisson/non_reentrant in situations of its own.
local redisson = require "redisson.non_reentrant"

return {
  cases = {
    -- The holder asks again: it gets an error at once, where it would wait for itself, and still holds the lock once.
    reentrant = {
      title   = "redisson/non_reentrant: the holder asks again",
      clients = { "A", "B" },
      program = function(me)
        local lock = redisson.lock(me, "order:42")
        lock:acquire()
        local again, why = lock:try_acquire()
        assert(again == nil and why == redisson.text)
        again, why = lock:acquire()
        assert(again == nil and why == redisson.text)
        me:work(100)
        assert(lock:release() == true)
      end,
      expect  = {
        strict_mutual_exclusion = "holds",
        no_deadlock = "holds",
        prompt = { "holds", idle_ms = 1 },
      },
      must_see = { "grant", "wait", "release" },
    },
  },
}
