-- redis_py/lock_2_10 under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local driver = require "redis_py.lock_2_10"
local why = require "why"

local cases = require "two_requests" (2201)
cases["crash_and_pause.two"].start_ms = why.pinned.start_ms

return {
  title   = "redis_py/lock_2_10",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 2000, retry_ms = 100 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", lease_set = why.no_end_between },
  cases   = cases,
}
