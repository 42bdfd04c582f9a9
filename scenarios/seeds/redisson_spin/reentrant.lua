-- One thread takes the lock twice, another frees it by force: the count is right, and the one who lost it is told.
local redisson = require "redisson.spin"

return {
  title   = "redisson/spin: holds within holds, and a forceUnlock",
  clients = { "A", { "B", start_ms = 50 } },
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
}
