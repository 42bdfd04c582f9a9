-- redisson/fair_non_reentrant under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local redisson = require "redisson.non_reentrant"
local why = require "why"

local own = {
  slot_of_the_frozen = why.breaks("A client that died, gave up or sleeps is dropped from the head of the queue " ..
      "only when its slot of 300 s is over."),
  dropped_asleep = why.breaks("A client that sleeps longer than its slot of 300 s is dropped, and comes after " ..
      "those who came later."),
}

local function once(me, opts)
  local lock = redisson.fair(me, "order:42", opts)
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
  title   = "redisson/fair_non_reentrant",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = programs.kept,
  faults  = "all",
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 30001 } },
  cases   = {
    ["*.three"] = {
      start_ms = why.pinned.start_ms, expect = { fifo = "holds", no_busy_wait = why.asks_without_pause },
    },
    ["crash.*"] = { expect = { no_leak = why.late_cleanup } },
    ["crash.three"] = { expect = { prompt = why.slot_of_the_dead } },
    ["restart.*"] = { expect = { prompt = why.slot_of_old_self } },
    ["restart.two"] = { expect = { no_busy_wait = why.asks_without_pause } },
    ["pause.*"] = {
      program = programs.leased,
      expect = {
        strict_mutual_exclusion = why.woke_inside, no_leak = why.late_cleanup, matches_spec = why.released_though_lost,
      },
    },
    ["pause.two"] = { expect = { prompt = { "holds", idle_ms = 1001 } } },
    ["pause.three"] = {
      expect = { prompt = { "violated", idle_ms = 1001, why = own.slot_of_the_frozen.why },
                 fifo = own.dropped_asleep },
    },
    ["lose_message.three"] = { expect = { no_busy_wait = false } },
    ["lose_request.*"] = { expect = { no_leak = why.late_cleanup } },
    ["lose_request.three"] = { expect = { prompt = why.slot_of_the_dead } },
    ["lose_reply.*"] = { expect = { no_leak = why.late_cleanup } },
    ["lose_reply.three"] = { expect = { prompt = why.slot_of_the_dead } },
    ["late_request.*"] = { expect = { no_leak = why.late_cleanup } },
    ["late_request.two"] = { expect = { prompt = why.late_for_nobody } },
    ["late_request.three"] = { expect = { prompt = why.slot_of_the_dead } },
    ["duplicate.*"] = { expect = { no_leak = why.late_cleanup } },
    ["lag.three"] = { expect = { no_busy_wait = false } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew,
        no_leak = why.replica_queue_stays, matches_spec = why.released_though_lost,
      },
    },
    ["failover.three"] = { expect = { prompt = why.replica_has_gone_waiters, fifo = why.replica_queue_short } },
    ["wipe.*"] = {
      expect = {
        mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone,
        matches_spec = why.released_though_lost,
      },
    },
    ["wipe.three"] = { expect = { fifo = why.order_gone_with_memory, no_busy_wait = false } },
    ["evict.*"] = {
      expect = {
        mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone, no_leak = why.entry_without_deadline,
        matches_spec = why.newcomer_again,
      },
    },
    ["evict.three"] = {
      expect = {
        no_deadlock = why.head_without_deadline, prompt = why.deadline_or_queue_gone, fifo = why.order_gone_with_queue,
      },
    },
    ["clock_jump.three"] = { expect = { no_busy_wait = false } },
    ["script_flush.three"] = { expect = { no_busy_wait = false } },
    ["interrupt.*"] = {
      expect = {
        no_deadlock = why.interrupted_and_renewed, prompt = why.renewed_for_nobody,
        no_leak = why.interrupted_and_renewed,
      },
    },
    ["interrupt.three"] = { expect = { fifo = why.interrupt_swallowed } },
    ["crash_and_pause.two"] = {
      program = programs.leased,
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = { "holds", idle_ms = 1001 }, fifo = "holds",
        no_leak = why.late_cleanup, matches_spec = why.released_though_lost,
      },
    },
    ["lose_reply_and_late_request.two"] = { expect = { prompt = why.slot_of_the_dead, no_leak = why.late_cleanup } },
    ["pause_and_lose_message.two"] = {
      program = programs.leased,
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = { "holds", idle_ms = 1001 }, fifo = "holds",
        no_leak = why.late_cleanup, matches_spec = why.released_though_lost,
      },
    },
  },
}
