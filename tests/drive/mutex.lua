-- What mutex.js does, by redis-semaphore's driver: the program is held against it.
local mutex = require "redis_semaphore.mutex"

return {
  title   = "mutex.js",
  timeout_ms = 3600000,        -- ioredis waits for an answer until the connection ends
  clients = { "A", "B" },
  program = function(me)
    for _ = 1, 2 do
      local lock = mutex.lock(me, "order:42", { lease_ms = 3000, wait_ms = 20000, retry_ms = 250, refresh_ms = 0 })
      if not lock:acquire() then return end
      me:work(500)
      lock:release()
    end
  end,
}
