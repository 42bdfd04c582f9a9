-- redis_py/lock as since release 6.0, under every fault: a request without an answer is sent again, three times. Each
-- client: take the lock, work inside for 100 ms, give it back.
local driver = require "redis_py.lock"
local why = require "why"

return {
  title   = "redis_py/lock with retries",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 2000, retry_ms = 100, retries = 3 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 2201 } },
  cases   = {
    ["*.three"] = why.pinned,
    ["pause.*"] = { expect = { strict_mutual_exclusion = why.woke_inside } },
    ["lose_message.*"] = false,
    -- An acquire whose answer is lost is refused by its own key the second time, unless its lease was over before, as
    -- here: scenarios/findings/redis_py_sent_again.lua.
    ["lose_request.*"] = { expect = { prompt = why.backs_off } },
    ["lose_reply.*"] = { expect = { prompt = why.backs_off } },
    ["late_request.*"] = { expect = { prompt = why.backs_off } },
    ["duplicate.*"] = { expect = { matches_spec = why.copy_answers_first } },
    ["failover.*"] = {
      expect = { mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew },
    },
    ["wipe.*"] = { expect = { mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone } },
    ["evict.*"] = { expect = { mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone } },
    -- A request whose time was over while its client was frozen is sent again, too; the client may die meanwhile.
    ["crash_and_pause.two"] = { expect = { strict_mutual_exclusion = why.woke_inside, prompt = why.backs_off } },
    ["lose_reply_and_late_request.two"] = { expect = { prompt = why.backs_off } },
    ["pause_and_lose_message.two"] = false,
  },
}
