-- notes/fair under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local notes = require "notes.fair"
local why = require "why"

local own = {
  head_is_gone = why.breaks "Once the head of the queue is a client that is gone, no client gets in any more.",
  nothing_cleans = why.breaks "Nothing takes a waiter out of the queue that died or gave up without an answer.",
  place_of_the_dead = why.breaks("A client that died or gave up keeps its place in the queue: once it is the head, " ..
      "no client gets in."),
  old_self_blocks = why.breaks "The old self keeps its place in the queue: once it is the head, no client gets in.",
  counted_as_waiting = why.breaks("A waiter that gives up leaves the queue while it still counts as waiting: the " ..
      "next one is let in first."),
  old_queue_of_replica = why.breaks("The new server may have missed the release, or have clients in its queue that " ..
      "are gone."),
  queue_gone = why.breaks "Without the queue its waiters stand nowhere: only the head may take the lock.",
  node_gone = why.breaks "A waiter whose node has vanished enters the queue a second time.",
}

return {
  title   = "notes/fair",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = notes.lock(me, "{order:42}")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds" },
  cases   = {
    ["*.three"] = { start_ms = why.pinned.start_ms, expect = { no_deadlock = own.head_is_gone } },
    ["*.two"] = { expect = { no_deadlock = own.head_is_gone, no_leak = own.nothing_cleans } },
    ["crash.*"] = { expect = { prompt = { "violated", idle_ms = 30001, why = own.place_of_the_dead.why } } },
    ["crash.three"] = { expect = { fifo = "holds", no_leak = own.nothing_cleans } },
    ["restart.*"] = { expect = { prompt = { "violated", idle_ms = 30001, why = own.old_self_blocks.why } } },
    ["restart.two"] = { expect = { no_leak = false } },
    ["restart.three"] = { expect = { fifo = "holds" } },
    ["pause.*"] = { expect = { prompt = { "violated", idle_ms = 30001, why = own.place_of_the_dead.why } } },
    -- 10 ms after each other: all at once there are several times as many states.
    ["pause.three"] = {
      clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
      expect = { no_leak = own.nothing_cleans },
    },
    ["lose_message.*"] = { expect = { no_deadlock = false, prompt = { "holds", idle_ms = 30001 } } },
    ["lose_message.two"] = { expect = { no_leak = false } },
    ["lose_message.three"] = { expect = { fifo = "holds" } },
    ["lose_request.*"] = { expect = { prompt = { "violated", idle_ms = 30001, why = own.place_of_the_dead.why } } },
    ["lose_request.three"] = { expect = { fifo = own.counted_as_waiting, no_leak = own.nothing_cleans } },
    ["lose_reply.*"] = { expect = { prompt = { "violated", idle_ms = 30001, why = own.place_of_the_dead.why } } },
    ["lose_reply.three"] = { expect = { fifo = own.counted_as_waiting, no_leak = own.nothing_cleans } },
    ["late_request.*"] = { expect = { prompt = { "violated", idle_ms = 30001, why = own.place_of_the_dead.why } } },
    ["late_request.three"] = { expect = { fifo = own.counted_as_waiting, no_leak = own.nothing_cleans } },
    ["duplicate.*"] = {
      expect = {
        prompt = { "violated", idle_ms = 30001, why = own.place_of_the_dead.why },
        matches_spec = why.copy_holds_and_answers,
      },
    },
    ["duplicate.three"] = { expect = { fifo = "holds", no_leak = own.nothing_cleans } },
    ["lag.*"] = { expect = { no_deadlock = false, prompt = { "holds", idle_ms = 30001 } } },
    ["lag.two"] = { expect = { no_leak = false } },
    ["lag.three"] = { expect = { no_deadlock = false, fifo = "holds" } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew,
        prompt = { "violated", idle_ms = 30001, why = own.old_queue_of_replica.why },
      },
    },
    ["failover.two"] = { expect = { no_leak = false } },
    ["failover.three"] = { expect = { fifo = why.replica_queue_short } },
    ["wipe.*"] = {
      expect = {
        mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone, no_deadlock = false,
        prompt = { "holds", idle_ms = 30001 },
      },
    },
    ["wipe.two"] = { expect = { no_leak = false } },
    ["wipe.three"] = { expect = { no_deadlock = false, fifo = why.order_gone_with_memory } },
    ["evict.*"] = {
      expect = { prompt = { "violated", idle_ms = 30001, why = own.queue_gone.why }, matches_spec = own.node_gone },
    },
    ["evict.three"] = { expect = { fifo = why.order_gone_with_queue, no_leak = own.nothing_cleans } },
    ["clock_jump.*"] = { expect = { no_deadlock = false, prompt = { "holds", idle_ms = 30001 } } },
    ["clock_jump.two"] = { expect = { no_leak = false } },
    ["clock_jump.three"] = { expect = { fifo = "holds" } },
    ["script_flush.*"] = { expect = { no_deadlock = false, prompt = { "holds", idle_ms = 30001 } } },
    ["script_flush.two"] = { expect = { no_leak = false } },
    ["script_flush.three"] = { expect = { fifo = "holds" } },
    ["interrupt.*"] = { expect = { prompt = { "violated", idle_ms = 30001, why = own.place_of_the_dead.why } } },
    ["interrupt.three"] = { expect = { fifo = why.interrupt_swallowed, no_leak = own.nothing_cleans } },
    ["crash_and_pause.two"] = {
      expect = { prompt = { "violated", idle_ms = 30001, why = own.place_of_the_dead.why } },
    },
    ["lose_reply_and_late_request.*"] = {
      expect = { prompt = { "violated", idle_ms = 30001, why = own.place_of_the_dead.why } },
    },
    ["lose_reply_and_late_request.three"] = {
      expect = { fifo = own.counted_as_waiting, no_leak = own.nothing_cleans },
    },
    ["pause_and_lose_message.two"] = {
      expect = { prompt = { "violated", idle_ms = 30001, why = own.place_of_the_dead.why } },
    },
  },
}
