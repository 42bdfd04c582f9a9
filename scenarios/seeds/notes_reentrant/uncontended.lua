-- Nobody else wants the lock: each acquire must be granted at once, and nothing may stay behind.
local notes = require "notes.reentrant"

return {
  title   = "notes/reentrant: uncontended",
  clients = { "A" },
  program = function(me)
    local lock = notes.lock(me, "order:42")
    for _ = 1, 2 do
      assert(lock:try_acquire() == true)
      me:work(100)
      local freed, why = lock:release()        -- the lock is gone, but the caller is told of an error
      assert(freed == nil and why:find("publish", 1, true))
    end
  end,
  expect  = {
    -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
    script_health = "violated",
  },
}
