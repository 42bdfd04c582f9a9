-- redis_lock/lock under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local driver = require "redis_lock.lock"
local why = require "why"

local own = {
  late_del = why.breaks "A DEL that runs late deletes the lock of the next holder.",
  self_refused = why.breaks("An acquire that gets no answer in time asks again, and is refused by the key that it " ..
      "has set itself."),
}

return {
  title   = "redis_lock/lock",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 1000, retry_ms = 700 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 1701 } },
  cases   = {
    ["*.three"] = why.pinned,
    ["crash_and_pause.two"] = { expect = { strict_mutual_exclusion = why.woke_inside, prompt = own.self_refused } },
    ["pause.*"] = { expect = { strict_mutual_exclusion = why.woke_inside, prompt = own.self_refused } },
    ["pause.three"] = { expect = { mutual_exclusion = own.late_del } },
    ["lose_request.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["lose_reply.*"] = { expect = { prompt = own.self_refused } },
    ["late_request.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["late_request.three"] = { expect = { mutual_exclusion = own.late_del, strict_mutual_exclusion = own.late_del } },
    ["lose_reply_and_late_request.two"] = { expect = { prompt = why.waits_for_an_answer } },
    ["duplicate.*"] = { expect = { prompt = why.late_copy } },
    ["duplicate.three"] = { expect = { mutual_exclusion = own.late_del, strict_mutual_exclusion = own.late_del } },
    ["interrupt.*"] = false,           -- Node has no interrupts
    ["failover.*"] = {
      expect = { mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew },
    },
    ["wipe.*"] = { expect = { mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone } },
    ["evict.*"] = { expect = { mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone } },
    ["lose_message.*"] = false,
    ["pause_and_lose_message.two"] = false,
  },
}
