-- redis_semaphore/over, RedlockSemaphore with one permit, on three servers under every fault. Each client: take the
-- lock, work inside for 100 ms, give it back. A refused client asks once more when a lease has passed.
local driver = require("redis_semaphore.over").semaphore(3, { permits = 1, lease_ms = 1000 })
local why = require "why"

return {
  title   = "redis_semaphore/over: a semaphore on three servers",
  servers = 3,
  clients = { "A", { "B", start_ms = 10 } },
  start_ms = why.pinned.start_ms,
  program = function(me)
    local lock = driver.lock(me, "order:42", { tries = 2, retry_ms = 1100, wait_ms = false })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 2301 } },
  cases   = require("redlock_rows").timed(),
}
