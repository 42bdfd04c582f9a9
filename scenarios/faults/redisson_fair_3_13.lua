-- redisson/fair_3_13 under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local redisson = require "redisson.fair_3_13"
local why = require "why"

local own = {
  sleeps_out_its_slot = why.breaks("A waiter behind another sleeps until its slot of 330 s is over; only the " ..
      "message wakes it sooner."),
  first_to_ask_drops_the_rest = why.breaks("The old self's lock ends without a message: all sleep out their slots, " ..
      "and the first to ask drops the others."),
  parked_for_ever = why.breaks("A waiter that asks after its turn while the lock is held is told to wait -1 ms, " ..
      "and parks without limit."),
  pause_keeps_place = why.breaks("A waiter that a pause kept from asking in time keeps its place, and no waiter " ..
      "behind it gets in."),
  parked_and_absent = why.breaks "A waiter that is parked for ever is not there when the lock comes free.",
  parked_and_passed = why.breaks "A waiter that is parked for ever is passed by the next one once its slot is over.",
  nil_deadline = why.breaks "Where a waiter's deadline has vanished the script compares nil with a number.",
  far_deadlines = why.breaks "A fast clock gives deadlines that are far ahead by the clocks of the others.",
}

return {
  title   = "redisson/fair_3_13",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds" },
  cases   = {
    ["*.three"] = why.pinned,
    ["*.two"] = { expect = { prompt = { "holds", idle_ms = 30001 } } },
    ["crash.*"] = { expect = { no_leak = why.late_cleanup } },
    ["crash.three"] = {
      expect = { prompt = { "violated", idle_ms = 30001, why = why.slot_of_the_dead.why }, fifo = "holds" },
    },
    ["restart.*"] = { expect = { prompt = { "violated", idle_ms = 30001, why = own.sleeps_out_its_slot.why } } },
    ["restart.three"] = { expect = { fifo = own.first_to_ask_drops_the_rest } },
    ["pause.*"] = {
      expect = {
        strict_mutual_exclusion = why.woke_inside, no_lost_wakeup = own.parked_for_ever,
        prompt = { "violated", idle_ms = 30001, why = why.renewed_after_release.why }, no_leak = why.late_cleanup,
        matches_spec = why.released_though_lost,
      },
    },
    -- 10 ms after each other: all at once there are several times as many states.
    ["pause.three"] = {
      clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
      expect = { no_deadlock = own.pause_keeps_place },
    },
    ["lose_message.three"] = {
      expect = { prompt = { "violated", idle_ms = 30001, why = own.sleeps_out_its_slot.why }, fifo = "holds" },
    },
    ["lose_request.*"] = { expect = { no_leak = why.late_cleanup } },
    ["lose_request.three"] = {
      expect = { prompt = { "violated", idle_ms = 30001, why = why.slot_of_the_dead.why }, fifo = "holds" },
    },
    ["lose_reply.*"] = { expect = { no_leak = why.late_cleanup } },
    ["lose_reply.three"] = {
      expect = { prompt = { "violated", idle_ms = 30001, why = why.slot_of_the_dead.why }, fifo = "holds" },
    },
    ["late_request.*"] = { expect = { no_leak = why.late_cleanup } },
    ["late_request.two"] = { expect = { prompt = { "violated", idle_ms = 30001, why = why.late_for_nobody.why } } },
    ["late_request.three"] = {
      expect = { prompt = { "violated", idle_ms = 30001, why = why.slot_of_the_dead.why }, fifo = "holds" },
    },
    ["duplicate.*"] = {
      expect = {
        no_lost_wakeup = own.parked_for_ever, no_deadlock = "violated",
        prompt = { "violated", idle_ms = 30001, why = own.parked_and_absent.why }, no_leak = why.late_cleanup,
        matches_spec = why.copy_holds_and_answers,
      },
    },
    ["duplicate.three"] = { expect = { fifo = own.parked_and_passed } },
    ["lag.three"] = { expect = { prompt = { "holds", idle_ms = 30001 }, fifo = "holds" } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew,
        no_leak = why.replica_queue_stays, matches_spec = why.released_though_lost,
      },
    },
    ["failover.three"] = {
      expect = {
        no_lost_wakeup = own.parked_for_ever, no_deadlock = "violated",
        prompt = { "violated", idle_ms = 30001, why = why.replica_has_gone_waiters.why },
        fifo = why.replica_queue_short,
      },
    },
    ["wipe.*"] = {
      expect = {
        mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone,
        matches_spec = why.released_though_lost,
      },
    },
    ["wipe.three"] = {
      expect = {
        prompt = { "violated", idle_ms = 30001, why = own.sleeps_out_its_slot.why }, fifo = why.order_gone_with_memory,
      },
    },
    ["evict.*"] = {
      expect = {
        mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone, no_leak = why.entry_without_deadline,
        matches_spec = why.newcomer_again, script_health = own.nil_deadline,
      },
    },
    ["evict.three"] = {
      expect = {
        prompt = { "violated", idle_ms = 30001, why = own.sleeps_out_its_slot.why }, fifo = why.order_gone_with_queue,
      },
    },
    ["clock_jump.three"] = {
      expect = {
        prompt = { "violated", idle_ms = 30001, why = own.far_deadlines.why }, fifo = why.fast_clock_drops_head,
      },
    },
    ["script_flush.three"] = { expect = { prompt = { "holds", idle_ms = 30001 }, fifo = "holds" } },
    ["interrupt.*"] = {
      end_ms = 100000,
      expect = {
        prompt = { "violated", idle_ms = 30001, why = why.renewed_for_nobody.why }, no_leak = why.late_cleanup,
      },
    },
    ["crash_and_pause.two"] = {
      expect = {
        strict_mutual_exclusion = why.woke_inside, no_lost_wakeup = own.parked_for_ever, no_deadlock = "violated",
        prompt = own.parked_and_absent, no_leak = why.late_cleanup, matches_spec = why.released_though_lost,
      },
    },
    ["lose_reply_and_late_request.*"] = {
      expect = {
        no_lost_wakeup = own.parked_for_ever, no_deadlock = "violated",
        prompt = { "violated", idle_ms = 30001, why = why.slot_of_the_dead.why }, no_leak = why.late_cleanup,
      },
    },
    ["lose_reply_and_late_request.three"] = { expect = { fifo = "holds" } },
    ["pause_and_lose_message.two"] = {
      expect = {
        strict_mutual_exclusion = why.woke_inside, no_lost_wakeup = own.parked_for_ever, no_deadlock = "violated",
        prompt = why.renewed_after_release, no_leak = why.late_cleanup, matches_spec = why.released_though_lost,
      },
    },
  },
}
