-- redisson/latch under every fault. A sets the latch to the number of workers and waits for them; each worker comes 10
-- ms later, works for 100 ms and counts down.
local redisson = require "redisson.latch"

local why = require "why"

local own = {
  worker_gone = why.breaks("A worker that is gone never counts down, and a latch has no lease: its waiter waits " ..
                           "for ever."),
  count_set_late = why.breaks("The count is set after the worker has counted down, or when no waiter is left: " ..
      "it stays."),
  told_once = why.breaks("The last count-down is told once: a waiter that misses it waits beside an open " ..
      "latch, and never asks by itself."),
  count_down_lost = why.breaks("A count-down that was lost, or whose sender gave up, is not sent again: the count " ..
                               "stays."),
  count_set_again = why.breaks("A count that was set without an answer is set again, also after the worker has " ..
      "counted it down."),
  asks_after_the_time_out = why.breaks "A waiter that gets no answer asks again, after the time-out and a pause.",
  goes_away = why.breaks "A waiter that gets no answer goes away after the time-out, though the latch was open.",
  request_held_up = why.breaks("A waiter's request that is late is not told that the latch is open: the waiter " ..
      "waits on for its answer."),
  count_set_twice = why.breaks "A count that is set again after the last count-down is never counted down.",
  latch_gone = why.breaks("The latch is gone, and its waiters are not told: a count-down finds nothing to take " ..
      "and sends no message."),
  replica_keeps_count = why.breaks "The replica has not seen the last count-down, and no client counts again.",
  gate_open_count_left = why.breaks("The gate was opened and the replica still has a count: a waiter asks again " ..
                                    "and again."),
}

local function once(workers)
  return function(me)
    local done = redisson.latch(me, "done")
    if me.client == "A" then
      if done:try_set_count(workers) then
        done:await()
      end
    else
      me:work(100)
      done:count_down()
    end
  end
end

return {
  title   = "redisson/latch",
  clients = { "A", "B", "C" },
  start_ms = why.pinned.start_ms,      -- A sets the count before B counts down: who does what is what it shows
  program = once(1),
  faults  = "all",
  expect  = { prompt = { "holds", idle_ms = 1 } },
  cases   = {
    ["*.three"] = { clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 10 } }, program = once(2) },
    ["*.two"] = { clients = { "A", { "B", start_ms = 10 } } },
    ["crash.*"] = { expect = { no_deadlock = own.worker_gone } },
    ["restart.*"] = { expect = { no_deadlock = own.worker_gone } },
    ["pause.*"] = {
      expect = {
        no_deadlock = own.count_set_late, no_leak = "violated",
        prompt = own.asks_after_the_time_out,
      },
    },
    ["lose_message.*"] = { expect = { no_lost_wakeup = "violated", no_deadlock = "violated",
                                      prompt = own.told_once } },
    ["lose_request.*"] = { expect = { no_deadlock = own.count_down_lost, prompt = own.goes_away } },
    ["lose_reply.*"] = {
      expect = {
        prompt = own.goes_away, no_deadlock = own.count_set_again,
      },
    },
    ["late_request.*"] = {
      expect = { no_deadlock = own.count_set_late, prompt = own.request_held_up, no_leak = "violated" },
    },
    ["duplicate.*"] = { expect = { no_deadlock = own.count_set_twice, no_leak = "violated" } },
    ["failover.*"] = {
      expect = {
        no_lost_wakeup = "violated", no_deadlock = "violated", prompt = own.latch_gone,
        no_leak = own.replica_keeps_count, no_busy_wait = own.gate_open_count_left,
      },
    },
    ["wipe.*"] = { expect = { no_lost_wakeup = "violated", no_deadlock = "violated", prompt = own.latch_gone } },
    ["evict.*"] = { expect = { no_lost_wakeup = "violated", no_deadlock = "violated", prompt = own.latch_gone } },
    ["interrupt.*"] = { expect = { no_leak = own.count_set_late } },
    ["crash_and_pause.two"] = {
      expect = {
        no_deadlock = own.worker_gone, no_leak = own.count_set_late,
        prompt = own.asks_after_the_time_out,
      },
    },
    ["lose_reply_and_late_request.two"] = {
      expect = { no_deadlock = own.count_set_late, prompt = own.goes_away, no_leak = own.count_set_late },
    },
    ["pause_and_lose_message.two"] = {
      expect = {
        no_lost_wakeup = own.told_once, no_deadlock = own.count_set_late, prompt = own.told_once,
        no_leak = own.count_set_late,
      },
    },
  },
}
