-- basic/blocking under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local driver = require "basic.blocking"
local why = require "why"

local own = {
  second_at_most = why.breaks("A lease that ends sends no sign: a waiter at the server learns of it when its " ..
      "wait is over, and may be second."),
}

return {
  title   = "basic/blocking",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 2000 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 2501 } },
  cases   = {
    ["*.three"] = why.pinned,
    ["crash.three"] = { expect = { prompt = { "holds", idle_ms = 4501, why = own.second_at_most.why } } },
    ["pause.*"] = { expect = { strict_mutual_exclusion = why.woke_inside } },
    ["pause.three"] = { expect = { prompt = { "holds", idle_ms = 4501, why = own.second_at_most.why } } },
    ["lose_message.*"] = false,
    ["lose_request.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["lose_reply.two"] = { expect = { prompt = why.waits_for_an_answer } },
    ["lose_reply.three"] = { expect = { prompt = { "violated", idle_ms = 4501, why = why.waits_for_an_answer.why } } },
    ["late_request.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["duplicate.*"] = { expect = { matches_spec = why.copy_answers_first } },
    ["failover.*"] = {
      expect = { mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew },
    },
    ["wipe.*"] = { expect = { mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone } },
    ["wipe.three"] = { expect = { prompt = { "holds", idle_ms = 4501, why = own.second_at_most.why } } },
    ["evict.*"] = { expect = { mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone } },
    ["evict.three"] = { expect = { prompt = { "holds", idle_ms = 4501, why = own.second_at_most.why } } },
    ["interrupt.three"] = { expect = { prompt = { "holds", idle_ms = 4501, why = own.second_at_most.why } } },
    ["crash_and_pause.two"] = { expect = { strict_mutual_exclusion = why.woke_inside } },
    ["lose_reply_and_late_request.two"] = { expect = { prompt = why.waits_for_an_answer } },
    ["pause_and_lose_message.two"] = false,
  },
}
