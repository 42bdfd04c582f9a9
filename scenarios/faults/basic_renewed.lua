-- basic/renewed under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local driver = require "basic.renewed"
local why = require "why"

local own = {
  heartbeat_goes_on = why.breaks("A release that is lost or late leaves the heartbeat on for the 3 s of its " ..
      "time-out; then the lease has to end."),
  heartbeat_renews_again = why.breaks("A paused process's release can be lost while its heartbeat, awake again, " ..
      "renews again."),
}

return {
  title   = "basic/renewed",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 3000, retry_ms = 500 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 4001 } },
  cases   = {
    ["*.three"] = why.pinned,
    ["pause.*"] = { expect = { strict_mutual_exclusion = why.woke_inside } },
    ["lose_message.*"] = false,
    ["lose_request.*"] = { expect = { prompt = own.heartbeat_goes_on } },
    ["late_request.*"] = { expect = { prompt = own.heartbeat_goes_on } },
    ["duplicate.*"] = { expect = { matches_spec = why.copy_answers_first } },
    ["failover.*"] = {
      expect = { mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew },
    },
    ["wipe.*"] = { expect = { mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone } },
    ["evict.*"] = { expect = { mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone } },
    ["crash_and_pause.two"] = {
      expect = { strict_mutual_exclusion = why.woke_inside, prompt = own.heartbeat_renews_again },
    },
    ["lose_reply_and_late_request.two"] = { expect = { prompt = own.heartbeat_goes_on } },
    ["pause_and_lose_message.two"] = false,
  },
}
