-- redisson/lock under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local redisson = require "redisson.lock"
local why = require "why"

return {
  title   = "redisson/lock",
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
    ["*.three"] = why.pinned,
    ["pause.*"] = {
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = why.renewed_after_release,
      },
    },
    -- 10 ms after each other: all at once there are several times as many states.
    ["pause.three"] = { clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } } },
    ["lose_request.*"] = { expect = { no_leak = why.unsubscribe_lost } },
    ["late_request.two"] = { expect = { prompt = why.late_for_nobody } },
    ["duplicate.*"] = { expect = { matches_spec = why.copy_holds } },
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
    ["crash_and_pause.two"] = {
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = why.renewed_after_release,
      },
    },
    ["lose_reply_and_late_request.*"] = { expect = { prompt = why.answer_on_top } },
    ["lose_reply_and_late_request.three"] = {},
    ["pause_and_lose_message.two"] = {
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = why.renewed_after_release,
      },
    },
    -- Three clients want the lock at once, twice each: the largest world of the plain lock without a fault.
    contended_3_twice = {
      title   = "redisson/lock: three clients, twice each",
      start_ms = why.pinned.start_ms,
      program = function(me)
        local lock = redisson.lock(me, "order:42")
        for _ = 1, 2 do
          if lock:acquire() then
            me:work(100)
            lock:release()
          end
        end
      end,
      faults  = {},
      expect  = {
        prompt = false,
        -- However many ask, one script at a time decides.
        strict_mutual_exclusion = "holds",
        -- A client that asks just as the lock becomes free passes those that wait for the message: there is no queue.
        fifo = "violated",
      },
      must_see = { "contention", "wait" },
    },
    -- The answer to a forceUnlock is lost, so it is sent again: the second one must find nothing more to do.
    lose_reply_force_release = {
      title   = "redisson/lock: a forceUnlock whose answer is lost",
      clients = { { "A", start_ms = 0 }, "B" },
      program = function(me)
        local lock = redisson.lock(me, "order:42")
        if me.client == "B" then
          lock:force_release()
        elseif lock:acquire() then
          me:work(100)
          lock:release()
        end
      end,
      faults  = { lose_reply = 1 },
      expect  = {
        prompt = false,
        -- Of the lock's requests only forceUnlock is sent again after a time-out. Its script publishes only where
        -- there was a lock to delete, so a second run right after the first finds nothing to do.
        idempotent = "holds",
        strict_mutual_exclusion = "holds",
      },
      must_see = { "lose_reply", "resend" },
    },
  },
}
