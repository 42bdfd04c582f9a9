-- redis_py/lock_2_9 under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local driver = require "redis_py.lock_2_9"
local why = require "why"

local own = {
  no_ttl = why.breaks "The key has no TTL: one that no client deletes stays, its instant long past.",
  late_del = why.breaks "A DEL that runs late deletes the lock of the next holder, and a third one comes in.",
  by_sending = why.breaks("The deadline counts from when its client asked, by that clock: one that is written late " ..
      "ends early. A DEL that runs late deletes the lock of the next holder."),
  clock_ahead = why.breaks "By a clock that is ahead every lease has ended.",
}

return {
  title   = "redis_py/lock_2_9",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 2000, retry_ms = 400 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 2801 } },
  cases   = {
    ["*.three"] = why.pinned,
    ["crash.*"] = { expect = { no_leak = own.no_ttl } },
    ["pause.*"] = {
      expect = {
        mutual_exclusion = own.by_sending, strict_mutual_exclusion = why.woke_inside, no_leak = own.no_ttl,
      },
    },
    ["lose_message.*"] = false,
    ["lose_request.*"] = { expect = { prompt = why.waits_for_an_answer, no_leak = own.no_ttl } },
    ["lose_reply.*"] = { expect = { prompt = why.waits_for_an_answer, no_leak = own.no_ttl } },
    ["late_request.*"] = {
      expect = {
        mutual_exclusion = own.by_sending, strict_mutual_exclusion = own.by_sending, prompt = why.waits_for_an_answer,
        no_leak = own.no_ttl,
      },
    },
    ["duplicate.*"] = { expect = { no_leak = own.no_ttl } },
    ["duplicate.three"] = { expect = { mutual_exclusion = own.late_del, strict_mutual_exclusion = own.late_del } },
    ["failover.*"] = {
      expect = { mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew },
    },
    ["wipe.*"] = { expect = { mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone } },
    ["evict.*"] = { expect = { mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone } },
    ["clock_jump.*"] = { expect = { mutual_exclusion = own.clock_ahead, strict_mutual_exclusion = own.clock_ahead } },
    ["interrupt.*"] = { expect = { no_leak = own.no_ttl } },
    ["interrupt.three"] = { expect = { mutual_exclusion = own.by_sending, strict_mutual_exclusion = own.by_sending } },
    ["crash_and_pause.two"] = {
      expect = {
        mutual_exclusion = own.by_sending, strict_mutual_exclusion = why.woke_inside, no_leak = own.no_ttl,
      },
    },
    ["lose_reply_and_late_request.two"] = {
      expect = {
        mutual_exclusion = own.by_sending, strict_mutual_exclusion = own.by_sending, prompt = why.waits_for_an_answer,
        no_leak = own.no_ttl,
      },
    },
    ["pause_and_lose_message.two"] = false,
  },
}
