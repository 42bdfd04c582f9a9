-- redlock of three under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local driver = require("redlock.redlock").over(3)
local why = require "why"

local function once(me)
  local lock = driver.lock(me, "order:42", { lease_ms = 1000, retry_ms = 700 })
  if lock:acquire() then
    me:work(100)
    lock:release()
  end
end

-- Each of three clients asks for the lock, and again when a lease has passed; a client that gets it works inside for
-- 100 ms and gives it back.
local function twice(me)
  local lock = driver.lock(me, "order:42", { lease_ms = 1000, retry_ms = 1100 })
  if lock:try_acquire(1100) then
    me:work(100)
    lock:release()
  end
end

return {
  title   = "redlock of three",
  servers = 3,
  clients = { "A", "B", "C" },
  start_ms = why.pinned.start_ms,
  program = once,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 2401 } },
  cases   = {
    ["*.three"] = { program = twice },
    ["pause.*"] = { expect = { strict_mutual_exclusion = why.woke_inside } },
    ["lose_message.*"] = false,
    ["failover.*"] = {
      expect = { mutual_exclusion = why.votes_after_failover, strict_mutual_exclusion = why.votes_after_failover },
    },
    ["wipe.*"] = {
      expect = { mutual_exclusion = why.votes_after_wipe, strict_mutual_exclusion = why.votes_after_wipe },
    },
    ["evict.*"] = {
      expect = { mutual_exclusion = why.votes_without_key, strict_mutual_exclusion = why.votes_without_key },
    },
    ["crash_and_pause.two"] = { expect = { strict_mutual_exclusion = why.woke_inside } },
    ["pause_and_lose_message.two"] = false,
  },
}
