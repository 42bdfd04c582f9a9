-- redisson/lock with a replica under every fault. Each client: take the lock of a server with a replica, work inside
-- for 100 ms, give it back.
local redisson = require "redisson.lock"
local why = require "why"

local own = {
  late_and_again = why.breaks("An acquire that was given up during a pause may run after it was sent again: a hold " ..
      "its owner is not told of."),
  counted_twice = why.breaks("An acquire whose answer is lost is sent again and counts twice; the lag keeps the " ..
      "next client out for longer."),
}

return {
  title   = "redisson/lock with a replica",
  replicas = 1,
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { replicas = 1 })
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
    -- Any one answer is lost: Redis has done what is then asked for again.
    ["lose_reply.two"] = { must_see = { "lose_reply", "resend" } },
    -- Any one request comes late, after it was sent again.
    ["late_request.two"] = { must_see = { "late_request", "resend" }, expect = { matches_spec = own.late_and_again } },
    ["duplicate.*"] = { expect = { matches_spec = why.copy_holds } },
    -- The replica falls behind: what is asked meanwhile fails, is taken back and asked again.
    ["lag.two"] = { faults = { lag = { 1, ms = 1500 } }, must_see = { "lag", "resend" } },
    -- With the second that a WAIT waits, and more, the world would be ten times as large.
    ["lag.three"] = { faults = { lag = { 1, ms = 400 } } },
    ["wipe.*"] = { expect = { mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone } },
    ["evict.*"] = { expect = { mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone } },
    ["interrupt.*"] = {
      expect = { no_deadlock = why.interrupted_and_renewed, prompt = "violated", no_leak = "violated" },
    },
    ["pause.two"] = { expect = { matches_spec = own.late_and_again } },
    ["crash_and_pause.two"] = {
      start_ms = why.pinned.start_ms,
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = why.renewed_after_release,
        matches_spec = own.late_and_again,
      },
    },
    ["lose_reply_and_late_request.two"] = false,
    ["pause_and_lose_message.two"] = false,
    -- A waiting thread is interrupted at any moment, while the replica lags or not: the library goes on with its
    -- attempts.
    ["interrupt_and_lag.two"] = {
      faults = { lag = { 1, ms = 1500 }, interrupt = 1 }, must_see = { "interrupt", "lag", "resend" },
      expect = { no_deadlock = why.interrupted_and_renewed, prompt = "violated", no_leak = "violated" },
    },
    -- The replica takes over when it had fallen behind.
    ["lag_and_failover.two"] = { faults = { lag = { 1, ms = 1500 }, failover = 1 } },
    -- Any one answer is lost, and the replica falls behind.
    ["lag_and_lose_reply.two"] = {
      faults = { lag = { 1, ms = 1500 }, lose_reply = 1 }, must_see = { "lag", "lose_reply" },
      expect = { prompt = own.counted_twice },
    },
  },
}
