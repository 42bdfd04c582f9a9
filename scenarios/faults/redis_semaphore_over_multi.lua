-- redis_semaphore/over, RedlockMultiSemaphore with two permits, of which each takes both, on three servers under every
-- fault. Each client: take the lock, work inside for 100 ms, give it back. A refused client asks once more when a
-- lease has passed.
--
-- All requests of a try go out side by side, each as far as it comes: where both clients ask at the same time there are
-- some hundred thousand to many millions of orders. So B comes 10 ms after A, when all servers have heard of A unless a
-- fault holds a request up, and every state of that is visited; rows with `explore` are random runs, some of them with
-- both clients at once.
local driver = require("redis_semaphore.over").multi_semaphore(3, { permits = 2, take = 2, lease_ms = 1000 })
local why = require "why"

local sampled = { random = 300 }

local own = {
  frozen = why.breaks("The lease ends while its client is frozen, as it asks or works: it goes on beside the next " ..
      "holder."),
  slowest_answer = why.breaks("A try waits for the answers of all servers: where the slowest comes when the lease " ..
      "is over, acquire() succeeds all the same."),
  fast_clock = why.breaks("A client whose clock is ahead by more than the lease drops holders whose lease is not " ..
      "over."),
}

return {
  title   = "redis_semaphore/over: a multi-semaphore on three servers",
  servers = 3,
  clients = { "A", { "B", start_ms = 10 } },
  start_ms = why.pinned.start_ms,
  program = function(me)
    local lock = driver.lock(me, "order:42", { tries = 2, retry_ms = 1100, wait_ms = false })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { "all", clock_jump = { 1, ms = 600000 } },
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 2301 } },
  cases   = {
    ["pause.*"] = { explore = sampled, expect = { strict_mutual_exclusion = own.frozen } },
    ["restart.*"] = { explore = sampled },
    ["lose_message.*"] = false,
    -- No client of Node is interrupted.
    ["interrupt.*"] = false,
    ["lose_request.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["lose_reply.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["late_request.*"] = {
      expect = { strict_mutual_exclusion = own.slowest_answer, prompt = why.waits_for_an_answer },
    },
    -- The package's documents say so, and ask for leases that are longer than clocks differ.
    ["clock_jump.*"] = {
      expect = { mutual_exclusion = own.fast_clock, strict_mutual_exclusion = own.fast_clock,
                 owner_only = own.fast_clock },
    },
    ["failover.*"] = {
      clients = { "A", "B" }, explore = sampled,
      expect = { mutual_exclusion = why.votes_after_failover, strict_mutual_exclusion = why.votes_after_failover },
    },
    ["wipe.*"] = {
      clients = { "A", "B" }, explore = sampled,
      expect = { mutual_exclusion = why.votes_after_wipe, strict_mutual_exclusion = why.votes_after_wipe },
    },
    ["evict.*"] = {
      clients = { "A", "B" }, explore = sampled,
      expect = { mutual_exclusion = why.votes_without_key, strict_mutual_exclusion = why.votes_without_key },
    },
    ["crash_and_pause.two"] = { explore = sampled, expect = { strict_mutual_exclusion = own.frozen } },
    -- Too many orders, and random runs do not meet all that each of the two breaks alone.
    ["lose_reply_and_late_request.two"] = false,
    ["pause_and_lose_message.two"] = false,
  },
}
