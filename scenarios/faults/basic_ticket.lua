-- basic/ticket under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local driver = require "basic.ticket"
local why = require "why"

local own = {
  number_stays = why.breaks "A number that no client comes for stays.",
  nobody_calls = why.breaks "When a client is gone, no other calls the next number in its place.",
  not_called = why.breaks "A client behind one that is gone or stands still is not called.",
  copy_enters_again = why.breaks("A copy of an acquire that finds its number called enters again, and the lock " ..
      "does not count that."),
  copy_ends_the_turn = why.breaks("A copy that runs first takes the answer: a release that ended a turn is told " ..
      "\"not the owner\"."),
  called_again = why.breaks "The new server calls a number again whose owner has left.",
  numbers_gone = why.breaks "With the numbers the order of asking is lost.",
  number_without_a_waiter = why.breaks "An interrupted client has left the order of waiters but keeps its number.",
  no_lease = why.breaks "There is no lease: the key never has a TTL.",
}

return {
  title   = "basic/ticket",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = driver.lock(me, "order:42", { retry_ms = 250 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", fifo = "holds", lease_set = own.no_lease },
  cases   = {
    ["*.three"] = why.pinned,
    ["*.two"] = { expect = { no_leak = own.number_stays } },
    ["crash.*"] = {
      expect = { no_deadlock = own.nobody_calls, prompt = { "violated", idle_ms = 2501, why = own.not_called.why } },
    },
    ["crash.three"] = { expect = { no_leak = own.number_stays } },
    ["restart.*"] = {
      expect = { no_deadlock = own.nobody_calls, prompt = { "violated", idle_ms = 2501, why = own.not_called.why } },
    },
    ["restart.two"] = { expect = { no_leak = false } },
    ["pause.*"] = { end_ms = 5000, expect = { prompt = { "violated", idle_ms = 2501, why = own.not_called.why } } },
    -- 10 ms after each other: all at once there are several times as many states.
    ["pause.three"] = {
      clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
      expect = { no_leak = own.number_stays },
    },
    ["lose_message.*"] = false,
    ["lose_request.*"] = {
      expect = { no_deadlock = own.nobody_calls, prompt = { "violated", idle_ms = 2501, why = own.not_called.why } },
    },
    ["lose_request.three"] = { expect = { no_leak = own.number_stays } },
    ["lose_reply.*"] = {
      expect = { no_deadlock = own.nobody_calls, prompt = { "violated", idle_ms = 2501, why = own.not_called.why } },
    },
    ["lose_reply.three"] = { expect = { no_leak = own.number_stays } },
    ["late_request.*"] = { expect = { prompt = { "violated", idle_ms = 2501, why = own.not_called.why } } },
    ["late_request.two"] = { expect = { no_deadlock = own.nobody_calls } },
    ["late_request.three"] = { expect = { no_deadlock = own.nobody_calls, no_leak = own.number_stays } },
    ["duplicate.*"] = {
      expect = {
        reentrancy = own.copy_enters_again, prompt = { "holds", idle_ms = 2501 },
        matches_spec = own.copy_ends_the_turn,
      },
    },
    ["duplicate.two"] = {
      expect = { no_deadlock = own.nobody_calls, prompt = { "violated", idle_ms = 2501, why = own.not_called.why } },
    },
    ["duplicate.three"] = { expect = { no_leak = own.number_stays } },
    ["lag.*"] = { expect = { prompt = { "holds", idle_ms = 2501 } } },
    ["lag.two"] = { expect = { no_leak = false } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew,
        no_deadlock = own.called_again, prompt = { "violated", idle_ms = 2501, why = own.called_again.why },
      },
    },
    ["failover.three"] = { expect = { fifo = own.numbers_gone, no_leak = own.number_stays } },
    ["wipe.*"] = {
      expect = {
        mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone,
        prompt = { "holds", idle_ms = 2501 },
      },
    },
    ["wipe.two"] = { expect = { no_leak = false } },
    ["wipe.three"] = { expect = { fifo = own.numbers_gone } },
    ["evict.*"] = {
      expect = {
        mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone, prompt = { "holds", idle_ms = 2501 },
      },
    },
    ["evict.two"] = { expect = { no_leak = false } },
    ["evict.three"] = { expect = { fifo = own.numbers_gone } },
    ["clock_jump.*"] = { expect = { prompt = { "holds", idle_ms = 2501 } } },
    ["clock_jump.two"] = { expect = { no_leak = false } },
    ["script_flush.*"] = { expect = { prompt = { "holds", idle_ms = 2501 } } },
    ["script_flush.two"] = { expect = { no_leak = false } },
    ["interrupt.*"] = {
      expect = { no_deadlock = own.nobody_calls, prompt = { "violated", idle_ms = 2501, why = own.not_called.why } },
    },
    ["interrupt.three"] = { expect = { fifo = own.number_without_a_waiter, no_leak = own.number_stays } },
    ["crash_and_pause.two"] = {
      end_ms = 5000,
      expect = { prompt = { "violated", idle_ms = 2501, why = own.not_called.why } },
    },
    ["lose_reply_and_late_request.two"] = {
      expect = { no_deadlock = own.nobody_calls, prompt = { "violated", idle_ms = 2501, why = own.not_called.why } },
    },
    ["pause_and_lose_message.two"] = false,
  },
}
