-- basic/setnx_expire under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local driver = require "basic.setnx_expire"
local why = require "why"

local cases = require "two_requests" (2801)
-- 10 ms after each other: all at once there are several times as many states.
cases["pause.three"] = { clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } } }

return {
  title   = "basic/setnx_expire",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 2000, retry_ms = 400 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", lease_set = why.no_end_between },
  cases   = cases,
}
