-- notes/reentrant under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local notes = require "notes.reentrant"
local why = require "why"

local own = {
  missed_release = why.breaks "The new server may have missed the release, and a waiter asks only every 30 s.",
  publishes_nothing = why.breaks("The release as printed calls redis.publish, which no Redis has: it frees the " ..
      "lock, fails, and wakes no waiter."),
}

return {
  title   = "notes/reentrant",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = notes.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", script_health = own.publishes_nothing },
  cases   = {
    ["*.three"] = why.pinned,
    ["crash.*"] = { expect = { prompt = { "violated", idle_ms = 30001, why = why.asks_in_the_last_ms.why } } },
    ["restart.*"] = { expect = { prompt = { "violated", idle_ms = 30001, why = why.asks_in_the_last_ms.why } } },
    ["pause.*"] = {
      expect = {
        strict_mutual_exclusion = why.woke_inside,
        prompt = { "violated", idle_ms = 30001, why = why.asks_in_the_last_ms.why },
      },
    },
    -- 10 ms after each other: all at once there are several times as many states.
    ["pause.three"] = { clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } } },
    ["lose_message.*"] = false,
    ["lose_request.*"] = {
      expect = {
        prompt = { "violated", idle_ms = 30001, why = why.asks_in_the_last_ms.why }, no_leak = why.unsubscribe_lost,
      },
    },
    ["lose_reply.*"] = { expect = { prompt = { "violated", idle_ms = 30001, why = why.asks_in_the_last_ms.why } } },
    ["late_request.*"] = { expect = { prompt = { "violated", idle_ms = 30001, why = why.asks_in_the_last_ms.why } } },
    ["duplicate.*"] = {
      expect = {
        prompt = { "violated", idle_ms = 30001, why = why.late_copy_and_slow_waiter.why },
        matches_spec = why.copy_holds,
      },
    },
    ["lag.*"] = { expect = { prompt = { "holds", idle_ms = 30001 } } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew,
        prompt = { "violated", idle_ms = 30001, why = own.missed_release.why },
      },
    },
    ["wipe.*"] = {
      expect = {
        mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone,
        prompt = { "holds", idle_ms = 30001 },
      },
    },
    ["evict.*"] = {
      expect = {
        mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone, prompt = { "holds", idle_ms = 30001 },
      },
    },
    ["clock_jump.*"] = { expect = { prompt = { "holds", idle_ms = 30001 } } },
    ["script_flush.*"] = { expect = { prompt = { "holds", idle_ms = 30001 } } },
    ["interrupt.*"] = { expect = { prompt = { "violated", idle_ms = 30001, why = why.asks_in_the_last_ms.why } } },
    ["crash_and_pause.two"] = {
      expect = {
        strict_mutual_exclusion = why.woke_inside,
        prompt = { "violated", idle_ms = 30001, why = why.asks_in_the_last_ms.why },
      },
    },
    ["lose_reply_and_late_request.*"] = {
      expect = { prompt = { "violated", idle_ms = 30001, why = why.asks_in_the_last_ms.why } },
    },
    ["lose_reply_and_late_request.three"] = {},
    ["pause_and_lose_message.two"] = false,
  },
}
