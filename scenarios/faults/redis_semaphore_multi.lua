-- redis_semaphore/multi_semaphore under every fault. Each client: take the lock, work inside for 800 ms, give it back.
local driver = require("redis_semaphore.multi_semaphore").of { permits = 2, take = 2, lease_ms = 2000 }

return {
  title   = "redis_semaphore/multi_semaphore",
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 2000, retry_ms = 700, wait_ms = false })
    if lock:acquire() then
      me:work(800)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 2701 } },
  cases   = require "semaphore_rows",
}
