-- redisson/semaphore under every fault. Each client: make sure that the pool has its permits, take one, work for 100
-- ms, give it back. With one permit it is a lock for two clients; with two of them, three clients contend.
local redisson = require "redisson.semaphore"

local why = require "why"

local own = {
  permit_dies = why.breaks "A permit has no lease and no owner: it is lost with the client that holds it.",
  permit_gone = why.breaks("A permit that was taken and never told of, or whose release never ran, is gone for " ..
      "good: there is no lease."),
  nobody_asks_again = why.breaks("No waiter asks again by itself: one whose message is lost waits until the next " ..
                                 "release."),
  two_permits_one_back = why.breaks "An acquire that runs twice takes two permits, and its owner gives one back.",
  two_permits_one_known = why.breaks "An acquire that runs twice takes two permits, and its owner knows of one.",
  pool_set_again = why.breaks("The pool's key is all there is: the next client sets the full number of permits " ..
      "again, though some are out."),
  told_too_early = why.breaks("A release that the replica has not seen was told to the waiters: they ask, are " ..
      "refused, and are told no more."),
  waits_for_a_release = why.breaks("A client that has set the permits already, or finds the key gone, waits for a " ..
      "release that never comes."),
}

local function once(permits)
  return function(me)
    local pool = redisson.semaphore(me, "pool", { permits = permits })
    pool:try_set_permits()
    if pool:acquire() then
      me:work(100)
      pool:release()
    end
  end
end

return {
  title   = "redisson/semaphore",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = once(1),
  faults  = "all",
  expect  = { strict_mutual_exclusion = "holds" },
  cases   = {
    ["*.three"] = { start_ms = why.pinned.start_ms, program = once(2), expect = { no_leak = "violated" } },
    ["*.two"] = { expect = { no_deadlock = "violated" } },
    ["crash.*"] = { expect = { prompt = { "violated", idle_ms = 1, why = own.permit_dies.why } } },
    ["crash.two"] = { expect = { no_leak = "violated" } },
    ["restart.*"] = { expect = { prompt = { "violated", idle_ms = 1, why = own.permit_dies.why } } },
    ["pause.two"] = {
      expect = { prompt = { "violated", idle_ms = 1, why = own.permit_gone.why }, no_leak = "violated" },
    },
    ["pause.three"] = { expect = { prompt = { "holds", idle_ms = 1 }, no_leak = own.permit_gone } },
    ["lose_message.two"] = {
      expect = { no_lost_wakeup = "violated", prompt = { "violated", idle_ms = 1, why = own.nobody_asks_again.why } },
    },
    ["lose_message.three"] = {
      expect = { no_lost_wakeup = own.nobody_asks_again, prompt = { "holds", idle_ms = 1 }, no_leak = false },
    },
    ["lose_request.*"] = { expect = { prompt = { "violated", idle_ms = 1, why = own.permit_gone.why } } },
    ["lose_request.two"] = { expect = { no_leak = "violated" } },
    ["lose_reply.*"] = { expect = { prompt = { "violated", idle_ms = 1, why = own.permit_gone.why } } },
    ["lose_reply.two"] = { expect = { no_leak = "violated" } },
    ["late_request.*"] = { expect = { prompt = { "violated", idle_ms = 1, why = own.permit_gone.why } } },
    ["late_request.two"] = { expect = { no_deadlock = own.permit_gone, no_leak = "violated" } },
    ["duplicate.*"] = {
      expect = {
        prompt = { "violated", idle_ms = 1, why = own.two_permits_one_back.why },
        matches_spec = own.two_permits_one_known,
      },
    },
    ["duplicate.two"] = { expect = { no_leak = "violated" } },
    ["lag.*"] = { expect = { prompt = { "holds", idle_ms = 1 } } },
    ["lag.two"] = { expect = { no_deadlock = false } },
    ["lag.three"] = { expect = { no_leak = false } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = "violated", strict_mutual_exclusion = own.pool_set_again,
        no_lost_wakeup = own.told_too_early, prompt = { "violated", idle_ms = 1, why = own.waits_for_a_release.why },
      },
    },
    ["failover.three"] = { expect = { no_deadlock = "violated" } },
    ["wipe.*"] = {
      expect = {
        mutual_exclusion = "violated", strict_mutual_exclusion = own.pool_set_again,
        prompt = { "violated", idle_ms = 1, why = own.waits_for_a_release.why },
      },
    },
    ["wipe.three"] = { expect = { no_deadlock = "violated" } },
    ["evict.*"] = {
      expect = {
        mutual_exclusion = "violated", strict_mutual_exclusion = own.pool_set_again,
        prompt = { "violated", idle_ms = 1, why = own.waits_for_a_release.why },
      },
    },
    ["evict.three"] = { expect = { no_deadlock = "violated" } },
    ["clock_jump.*"] = { expect = { prompt = { "holds", idle_ms = 1 } } },
    ["clock_jump.two"] = { expect = { no_deadlock = false } },
    ["clock_jump.three"] = { expect = { no_leak = false } },
    ["script_flush.*"] = { expect = { prompt = { "holds", idle_ms = 1 } } },
    ["script_flush.two"] = { expect = { no_deadlock = false } },
    ["script_flush.three"] = { expect = { no_leak = false } },
    ["interrupt.*"] = { expect = { prompt = { "violated", idle_ms = 1, why = own.permit_gone.why } } },
    ["interrupt.two"] = { expect = { no_leak = "violated" } },
    ["crash_and_pause.two"] = {
      expect = { no_deadlock = own.permit_dies, prompt = { "violated", idle_ms = 1 }, no_leak = "violated" },
    },
    ["lose_reply_and_late_request.two"] = {
      expect = { no_deadlock = own.permit_gone, prompt = { "violated", idle_ms = 1 }, no_leak = "violated" },
    },
    ["pause_and_lose_message.two"] = {
      expect = {
        no_lost_wakeup = own.nobody_asks_again, no_deadlock = own.permit_gone, prompt = { "violated", idle_ms = 1 },
        no_leak = "violated",
      },
    },
  },
}
