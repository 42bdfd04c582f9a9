-- simple/counted under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local simple = require "simple.counted"
local why = require "why"

local own = {
  second_hold_keeps_deadline = why.breaks("The second hold is promised a whole lease, and keeps the deadline of " ..
                                          "the first."),
}

return {
  title   = "simple/counted",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 2, retry_ms = 250 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 2251 } },
  cases   = {
    ["*.three"] = why.pinned,
    ["pause.*"] = { expect = { strict_mutual_exclusion = why.woke_inside } },
    ["lose_message.*"] = false,
    ["lose_request.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["lose_reply.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["late_request.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["duplicate.*"] = {
      expect = {
        prompt = why.late_copy, lease_set = own.second_hold_keeps_deadline, matches_spec = why.copy_holds_and_answers,
      },
    },
    ["failover.*"] = {
      expect = { mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew },
    },
    ["wipe.*"] = { expect = { mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone } },
    ["evict.*"] = { expect = { mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone } },
    ["interrupt.three"] = { expect = { prompt = why.waits_for_an_answer } },
    ["crash_and_pause.*"] = { expect = { strict_mutual_exclusion = why.woke_inside } },
    ["crash_and_pause.three"] = {},
    ["lose_reply_and_late_request.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["lose_reply_and_late_request.three"] = {},
    ["pause_and_lose_message.two"] = false,
  },
}
