-- redisson/red_lock under every fault. Each client: try to take the locks of 3 servers as one, work for 100 ms, give
-- them back. A refused client goes away. lease_ms: with a lease; without one the watchdogs keep the locks.
local group = require "redisson.red_lock"
local redisson = require "redisson.lock"
local why = require "why"

local own = {
  first_gone_by_majority = why.breaks("A lock that was taken first may be gone when the last one is taken: the " ..
      "caller is told that it has a majority."),
  end_not_set = why.breaks("Of its majority one may be a lock it gave up for lost and that was taken late: its " ..
      "lease is not set at the end."),
  each_a_majority = why.breaks("One lock less is one too many where the other client came first at another server: " ..
      "each has a majority."),
}

local function once(lease_ms)
  return function(me)
    local locks = {}
    for i = 1, 3 do
      locks[i] = redisson.lock(me:on(i), "order:42")
    end
    local all = group.lock(me, "order:42", locks)
    if all:try_acquire(-1, lease_ms) then
      me:work(100)
      all:release()
    end
  end
end

return {
  title   = "redisson/red_lock",
  servers = 3,
  clients = { "A", "B", "C" },
  start_ms = why.pinned.start_ms,
  program = once(),
  faults  = "all",
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 30001 } },
  cases   = {
    ["pause.*"] = {
      program = once(10000), faults = { pause = { 1, of = "A" } },
      expect = { matches_spec = own.first_gone_by_majority },
    },
    -- One process freezes at any moment and for any time: A, which comes when B has the first answers. Where they come
    -- at the same time the world is ten times as large: pause_three.lua, and there lease_set breaks, too.
    ["pause.two"] = { clients = { { "A", start_ms = 10 }, "B" } },
    -- One process freezes at any moment and for any time: A, for B is like it.
    ["pause.three"] = { clients = { "A", "B", { "C", start_ms = 10 } }, expect = { lease_set = own.end_not_set } },
    ["lose_message.*"] = false,
    ["late_request.three"] = { clients = { "A", "B", { "C", start_ms = 10 } } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = "violated", strict_mutual_exclusion = own.each_a_majority,
        matches_spec = own.first_gone_by_majority,
      },
    },
    ["failover.three"] = { clients = { "A", "B", { "C", start_ms = 10 } } },
    ["wipe.*"] = {
      expect = {
        mutual_exclusion = "violated", strict_mutual_exclusion = own.each_a_majority,
        matches_spec = own.first_gone_by_majority,
      },
    },
    ["wipe.three"] = { clients = { "A", "B", { "C", start_ms = 10 } } },
    ["evict.*"] = {
      expect = {
        mutual_exclusion = "violated", strict_mutual_exclusion = own.each_a_majority,
        matches_spec = own.first_gone_by_majority,
      },
    },
    ["evict.three"] = { clients = { "A", "B", { "C", start_ms = 10 } } },
    ["interrupt.*"] = { expect = { no_leak = why.interrupt_is_a_refusal } },
    ["interrupt.three"] = { clients = { "A", "B", { "C", start_ms = 10 } } },
    ["crash_and_pause.two"] = {
      clients = { "A", { "B", start_ms = 10 } }, program = once(10000),
      expect = { lease_set = own.end_not_set, matches_spec = own.first_gone_by_majority },
    },
    ["lose_reply_and_late_request.two"] = { clients = { "A", { "B", start_ms = 10 } } },
    ["pause_and_lose_message.two"] = false,
  },
}
