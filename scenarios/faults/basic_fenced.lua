-- basic/fenced under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local driver = require "basic.fenced"
local why = require "why"

local own = {
  counter_goes_back = why.breaks "The counter goes back, too: the next holder gets a number that is not greater.",
  counter_gone = why.breaks "The counter is gone, too: the next holder gets a number that is not greater.",
}

return {
  title   = "basic/fenced",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 2000, retry_ms = 250 })
    if lock:acquire() then
      me:work(100)
      me:use("the account", lock.fence)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", fencing = "holds", prompt = { "holds", idle_ms = 2501 } },
  cases   = {
    ["*.three"] = why.pinned,
    ["pause.*"] = { expect = { strict_mutual_exclusion = why.woke_inside } },
    ["lose_message.*"] = false,
    ["lose_request.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["lose_reply.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["late_request.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["duplicate.*"] = { expect = { matches_spec = why.copy_answers_first } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew,
        fencing = own.counter_goes_back,
      },
    },
    ["wipe.*"] = {
      expect = {
        mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone, fencing = own.counter_gone,
      },
    },
    ["evict.*"] = {
      expect = { mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone, fencing = own.counter_gone },
    },
    ["crash_and_pause.two"] = { expect = { strict_mutual_exclusion = why.woke_inside } },
    ["lose_reply_and_late_request.two"] = { expect = { prompt = why.waits_for_an_answer } },
    ["pause_and_lose_message.two"] = false,
  },
}
