-- Redisson's non-reentrant locks, the plain one and the fair one: the owner who asks again is told an error, by lock()
-- and by tryLock(), in the words that the client knows it by, and holds the lock once as before.
local non_reentrant = require "redisson.non_reentrant"

local name = "order:42"

local function refused(got, why)
  assert(got == nil and why == non_reentrant.text and why == "ERR NON_REENTRANT_REACQUIRE")
end

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

return {
  title   = "redisson/non_reentrant: the owner asks again",
  clients = { { "A", start_ms = 0 } },
  cases   = {
    fair  = { program = asks_again(non_reentrant.fair) },
    plain = { program = asks_again(non_reentrant.lock) },
  },
}
