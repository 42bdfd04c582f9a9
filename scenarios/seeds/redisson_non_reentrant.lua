-- redisson/non_reentrant in situations of its own.
local redisson = require "redisson.non_reentrant"

local name = "order:42"

local function refused(got, why)
  assert(got == nil and why == redisson.text and why == "ERR NON_REENTRANT_REACQUIRE")
end

-- An owner that asks again is told an error, by lock() and by tryLock(), in the words that the client knows it by, and
-- holds the lock once as before.
local function asks_again(make)
  return function(me)
    local lock = make(me, name)
    assert(lock:acquire())
    refused(lock:acquire())
    refused(lock:try_acquire())
    assert(me:call("HGET", name, me.id) == "1")
    assert(lock:release() == true)
  end
end

local alone = { { "A", start_ms = 0 } }

return {
  cases = {
    asked_again = { title = "redisson/non_reentrant: its words", clients = alone, program = asks_again(redisson.lock) },
    asked_again_fair = { title = "redisson/non_reentrant: the fair lock's words", clients = alone,
                         program = asks_again(redisson.fair) },
    -- The holder asks again: it gets an error at once, where it would wait for itself, and still holds the lock once.
    reentrant = {
      title   = "redisson/non_reentrant: the holder asks again",
      clients = { "A", "B" },
      program = function(me)
        local lock = redisson.lock(me, name)
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
