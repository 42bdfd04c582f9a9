-- simple_redis_mutex/lock under every fault. Each client: take the lock, work inside for 100 ms, give it back.
local driver = require "simple_redis_mutex.lock"
local why = require "why"

local own = {
  stays = why.breaks "A process keeps its subscription for as long as it lives.",
  channel_is_key = why.breaks("The release takes its channel for a key: in a cluster that falls into another slot " ..
      "than the lock."),
  loads_first = why.breaks("A release sends its script first: where that gets no answer, the lease ends while its " ..
      "caller waits in release()."),
  over_when_told = why.breaks("Between SET and INCR the time is not checked: a client that stood still there is " ..
      "told that it has a lock that is over."),
}

return {
  title   = "simple_redis_mutex/lock",
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 2000, poll_ms = 1500 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = {
    strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 3501 }, script_health = own.channel_is_key,
    no_leak = own.stays,
  },
  cases   = {
    -- Where either of the two may be paused at any moment there are many ten thousands of states. Here it is A,
    -- between its two requests, and B comes when A's lease is over; each tries once.
    ["pause.*"] = {
      program = function(me)
        local lock = driver.lock(me, "order:42", { lease_ms = 2000 })
        if lock:try_acquire() then
          me:work(100)
          lock:release()
        end
      end,
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 2500 } },
      faults = { pause = { 1, of = "A", op = "number" } },
      expect = { strict_mutual_exclusion = own.over_when_told, matches_spec = own.over_when_told },
    },
    ["crash_and_pause.two"] = false,
    ["pause_and_lose_message.two"] = false,
    ["lose_reply_and_late_request.two"] = false,
    ["lose_request.*"] = { expect = { strict_mutual_exclusion = own.loads_first } },
    ["lose_reply.*"] = { expect = { strict_mutual_exclusion = own.loads_first } },
    ["late_request.*"] = { faults = { late_request = { 1, of = "A", op = "acquire" } } },
    ["duplicate.*"] = { expect = { matches_spec = why.copy_takes_the_answer } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew,
        matches_spec = why.goes_on_without_it,
      },
    },
    ["wipe.*"] = {
      expect = {
        mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone,
        matches_spec = why.goes_on_without_it,
      },
    },
    ["evict.*"] = {
      expect = {
        mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone, matches_spec = why.goes_on_without_it,
      },
    },
  },
}
