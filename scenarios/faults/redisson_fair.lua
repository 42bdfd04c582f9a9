-- redisson/fair under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local redisson = require "redisson.fair"
local why = require "why"

return {
  title   = "redisson/fair",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
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
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = why.renewed_after_release, no_leak = why.late_cleanup,
        matches_spec = why.released_though_lost,
      },
    },
    -- 10 ms after each other: all at once there are several times as many states.
    ["pause.three"] = { clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } }, expect = { fifo = false } },
    ["lose_message.three"] = { expect = { no_busy_wait = false } },
    ["lose_request.*"] = { expect = { no_leak = why.late_cleanup } },
    ["lose_request.three"] = { expect = { prompt = why.slot_of_the_dead } },
    ["lose_reply.*"] = { expect = { no_leak = why.late_cleanup } },
    ["lose_reply.three"] = { expect = { prompt = why.slot_of_the_dead } },
    ["late_request.*"] = { expect = { no_leak = why.late_cleanup } },
    ["late_request.two"] = { expect = { prompt = why.late_for_nobody } },
    ["late_request.three"] = { expect = { prompt = why.slot_of_the_dead } },
    ["duplicate.*"] = { expect = { no_leak = why.late_cleanup, matches_spec = why.copy_holds } },
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
    ["clock_jump.three"] = { expect = { fifo = why.fast_clock_drops_head, no_busy_wait = false } },
    ["script_flush.three"] = { expect = { no_busy_wait = false } },
    ["interrupt.*"] = {
      expect = {
        no_deadlock = why.interrupted_and_renewed, prompt = why.renewed_for_nobody, no_leak = why.late_cleanup,
      },
    },
    ["interrupt.three"] = { expect = { fifo = why.interrupt_swallowed } },
    ["crash_and_pause.two"] = {
      start_ms = why.pinned.start_ms,
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = why.slot_of_the_dead, no_leak = why.late_cleanup,
        matches_spec = why.released_though_lost,
      },
    },
    ["lose_reply_and_late_request.*"] = { expect = { prompt = why.slot_of_the_dead, no_leak = why.late_cleanup } },
    ["lose_reply_and_late_request.three"] = {},
    ["pause_and_lose_message.two"] = {
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = why.renewed_after_release, no_leak = why.late_cleanup,
        matches_spec = why.released_though_lost,
      },
    },
  },
}
