-- What careful.py does, by redis-py's driver: the program is held against it, losses and time-outs included.
local redis_py = require "redis_py.lock"

return {
  title      = "careful.py",
  clients    = { "A", "B" },
  timeout_ms = 1000,
  program = function(me)
    for _ = 1, 2 do
      local lock = redis_py.lock(me, "order:42", { lease_ms = 3000, retry_ms = 250 })
      if lock:acquire() then
        me:work(500)
        lock:release()
      end
    end
  end,
}
