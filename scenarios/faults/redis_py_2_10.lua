-- redis_py/lock_2_10 under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local driver = require "redis_py.lock_2_10"
local why = require "why"

return {
  title   = "redis_py/lock_2_10",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 2000, retry_ms = 100 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", lease_set = why.no_end_between },
  cases   = {
    ["*.three"] = why.pinned,
    ["crash.*"] = {
      expect = {
        no_deadlock = why.endless_lock_blocks, prompt = { "violated", idle_ms = 2201, why = why.stops_between.why },
        no_leak = why.endless_lock_stays,
      },
    },
    ["restart.*"] = {
      expect = {
        no_deadlock = why.endless_lock_blocks, prompt = { "violated", idle_ms = 2201, why = why.stops_between.why },
      },
    },
    ["pause.*"] = {
      end_ms = 5000,
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = { "holds", idle_ms = 2201 },
        no_leak = why.endless_lock_stays,
      },
    },
    ["lose_message.*"] = false,
    ["lose_request.*"] = {
      expect = {
        no_deadlock = why.endless_lock_blocks, prompt = { "violated", idle_ms = 2201, why = why.stops_between.why },
        no_leak = why.endless_lock_stays,
      },
    },
    ["lose_reply.*"] = {
      expect = {
        no_deadlock = why.endless_lock_blocks, prompt = { "violated", idle_ms = 2201, why = why.stops_between.why },
        no_leak = why.endless_lock_stays,
      },
    },
    ["late_request.*"] = {
      expect = {
        prompt = { "violated", idle_ms = 2201, why = why.stops_between.why }, no_leak = why.endless_lock_stays,
      },
    },
    ["late_request.two"] = { expect = { no_deadlock = why.late_for_ever } },
    ["duplicate.*"] = {
      expect = {
        owner_only = why.pexpire_asks_nobody, no_deadlock = why.endless_lock_blocks,
        prompt = { "violated", idle_ms = 2201, why = why.stops_between.why }, no_leak = why.endless_lock_stays,
        matches_spec = why.copy_takes_the_answer,
      },
    },
    ["lag.*"] = { expect = { prompt = { "holds", idle_ms = 2201 } } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew,
        owner_only = why.pexpire_asks_nobody, prompt = { "holds", idle_ms = 2201 },
        matches_spec = why.goes_on_without_it,
      },
    },
    ["wipe.*"] = {
      expect = {
        mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone,
        owner_only = why.pexpire_asks_nobody, prompt = { "holds", idle_ms = 2201 },
        matches_spec = why.goes_on_without_it,
      },
    },
    ["evict.*"] = {
      expect = {
        mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone, owner_only = why.pexpire_asks_nobody,
        prompt = { "holds", idle_ms = 2201 }, matches_spec = why.goes_on_without_it,
      },
    },
    ["clock_jump.*"] = { expect = { prompt = { "holds", idle_ms = 2201 } } },
    ["script_flush.*"] = { expect = { prompt = { "holds", idle_ms = 2201 } } },
    ["interrupt.*"] = {
      expect = {
        no_deadlock = why.endless_lock_blocks, prompt = { "violated", idle_ms = 2201, why = why.stops_between.why },
        no_leak = why.endless_lock_stays,
      },
    },
    ["crash_and_pause.two"] = {
      start_ms = why.pinned.start_ms,
      end_ms = 5000,
      expect = {
        strict_mutual_exclusion = why.woke_inside,
        prompt = { "violated", idle_ms = 2201, why = why.stops_between.why },
        no_leak = why.endless_lock_stays,
      },
    },
    ["lose_reply_and_late_request.two"] = {
      expect = {
        no_deadlock = why.endless_lock_blocks, prompt = { "violated", idle_ms = 2201, why = why.stops_between.why },
        no_leak = why.endless_lock_stays,
      },
    },
    ["pause_and_lose_message.two"] = false,
  },
}
