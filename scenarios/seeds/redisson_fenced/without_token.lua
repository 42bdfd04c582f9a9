-- lock() of a fenced lock tells no token, but counts one: whoever asks for his token next gets a higher one than any holder before.
local redisson = require "redisson.fenced"

return {
  title   = "redisson/fenced: holders with tokens and one without",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 10 } },
  program = function(me)
    if me.client == "B" then
      local lock = redisson.without_token(me, "order:42")
      lock:acquire()
      lock:acquire()                           -- a re-entry is numbered, too
      assert(lock.token == nil)
      me:work(100)
      assert(lock:release() == false and lock:release() == true)
      return
    end
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    assert(lock.token == 1 and me.client == "A" or lock.token == 2 or lock.token == 4)     -- before B's two, or after
    me:work(100)
    lock:release()
  end,
  expect  = {
    strict_mutual_exclusion = "holds",
    reentrancy = "holds",
    prompt = { "holds", idle_ms = 1 },
  },
  must_see = { "wait", "re-entry" },
}
