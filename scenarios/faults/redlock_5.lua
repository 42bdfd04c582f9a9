-- redlock of five under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local driver = require("redlock.redlock").over(5)
local why = require "why"

return {
  title   = "redlock of five",
  servers = 5,
  clients = { "A", "B", "C" },
  start_ms = why.pinned.start_ms,
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 1000, retry_ms = 700 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 2401 } },
  cases   = {
    ["*.three"] = { clients = { "A", "B", { "C", start_ms = 10 } } },
    ["restart.three"] = false,
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
