-- redisson/non_reentrant under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local redisson = require "redisson.non_reentrant"
local why = require "why"

local function once(me, opts)
  local lock = redisson.lock(me, "order:42", opts)
  if lock:acquire() then
    me:work(100)
    lock:release()
  end
end

local programs = {
  -- The watchdog keeps the lock.
  kept = function(me)
    once(me)
  end,
  -- For a second at most: for worlds that would be too large with a watchdog.
  leased = function(me)
    once(me, { lease_ms = 1000 })
  end,
}

return {
  title   = "redisson/non_reentrant",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = programs.kept,
  faults  = "all",
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 30001 } },
  cases   = {
    ["*.three"] = why.pinned,
    ["pause.*"] = {
      program = programs.leased,
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = { "holds", idle_ms = 1001 },
      },
    },
    ["lose_request.*"] = { expect = { no_leak = why.unsubscribe_lost } },
    ["failover.*"] = {
      expect = { mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew },
    },
    ["wipe.*"] = { expect = { mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone } },
    ["evict.*"] = { expect = { mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone } },
    ["interrupt.*"] = {
      expect = {
        no_deadlock = why.interrupted_and_renewed, prompt = why.renewed_for_nobody,
        no_leak = why.interrupted_and_renewed,
      },
    },
    ["late_request.two"] = { expect = { prompt = why.late_for_nobody } },
    ["crash_and_pause.two"] = {
      program = programs.leased,
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = { "holds", idle_ms = 1001 },
      },
    },
    ["lose_reply_and_late_request.two"] = { expect = { prompt = why.answer_on_top } },
    ["pause_and_lose_message.two"] = {
      program = programs.leased,
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = { "holds", idle_ms = 1001 },
      },
    },
  },
}
