-- node_redlock/redlock on three servers under every fault. Each client: take the lock, work inside for 100 ms, give it
-- back. A refused client asks once more when a lease has passed.
local driver = require("node_redlock.redlock").over(3)
local rows = require "redlock_rows"
local why = require "why"

return {
  title   = "node_redlock/redlock on three servers",
  servers = 3,
  clients = { "A", { "B", start_ms = 10 } },
  start_ms = why.pinned.start_ms,
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 1000, retries = 1, retry_ms = 1100, jitter_ms = 0 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 2301 } },
  cases   = rows.with { ["lose_reply_and_late_request.two"] = { explore = rows.sampled } },
}
