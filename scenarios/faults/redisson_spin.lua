-- redisson/spin under every fault. Each client: take the lock for at most a second, work inside for 100 ms, give it
-- back. A waiter asks every 64 ms.
local redisson = require "redisson.spin"
local why = require "why"

local own = {
  answer_costs_3_s = why.breaks "A lost answer costs 3 s.",
}

return {
  title   = "redisson/spin",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 1000, back_off = function() return 64 end })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = "all",
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 1065 } },
  cases   = {
    ["*.three"] = why.pinned,
    ["pause.*"] = { expect = { strict_mutual_exclusion = why.woke_inside } },
    ["lose_message.*"] = false,
    ["lose_request.*"] = { expect = { prompt = own.answer_costs_3_s } },
    ["lose_reply.*"] = { expect = { prompt = own.answer_costs_3_s } },
    ["late_request.*"] = { expect = { prompt = own.answer_costs_3_s } },
    ["duplicate.*"] = { expect = { matches_spec = why.copy_holds } },
    ["duplicate.two"] = { expect = { prompt = why.late_copy } },
    ["failover.*"] = {
      expect = { mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew },
    },
    ["wipe.*"] = { expect = { mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone } },
    ["evict.*"] = { expect = { mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone } },
    ["crash_and_pause.two"] = { expect = { strict_mutual_exclusion = why.woke_inside } },
    ["lose_reply_and_late_request.two"] = { expect = { prompt = own.answer_costs_3_s } },
    ["pause_and_lose_message.two"] = false,
  },
}
