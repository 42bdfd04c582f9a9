-- redisson/multi under every fault. Each client: try to take the locks of 2 servers as one, work for 100 ms, give them
-- back. A refused client goes away. lease_ms: with a lease; without one the watchdogs keep the locks.
local group = require "redisson.multi"
local redisson = require "redisson.lock"
local why = require "why"

local own = {
  first_gone_by_last = why.breaks("A lock that was taken first may be gone when the last one is taken: the caller " ..
      "is told that it has them all."),
  unlock_stops = why.breaks("unlock stops at the first lock that says no; those after it stay, and their watchdog " ..
      "renews them."),
  one_of_all_gone = why.breaks("One of the locks is gone at its server while its holder works: the next one gets " ..
      "it, and with it all of them."),
}

local function once(lease_ms)
  return function(me)
    local locks = {}
    for i = 1, 2 do
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
  title   = "redisson/multi",
  servers = 2,
  clients = { "A", "B", "C" },
  start_ms = why.pinned.start_ms,
  program = once(),
  faults  = "all",
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 30001 } },
  cases   = {
    ["pause.*"] = { program = once(10000), expect = { matches_spec = own.first_gone_by_last } },
    ["pause.three"] = { clients = { "A", "B", { "C", start_ms = 10 } } },
    ["lose_message.*"] = false,
    ["lose_request.*"] = { expect = { no_leak = own.unlock_stops } },
    ["lose_reply.*"] = { expect = { no_leak = own.unlock_stops } },
    ["late_request.*"] = { expect = { no_leak = own.unlock_stops } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = "violated", strict_mutual_exclusion = own.one_of_all_gone, no_leak = own.unlock_stops,
        matches_spec = own.first_gone_by_last,
      },
    },
    ["wipe.*"] = {
      expect = {
        mutual_exclusion = "violated", strict_mutual_exclusion = own.one_of_all_gone, no_leak = own.unlock_stops,
        matches_spec = own.first_gone_by_last,
      },
    },
    ["evict.*"] = {
      expect = {
        mutual_exclusion = "violated", strict_mutual_exclusion = own.one_of_all_gone, no_leak = own.unlock_stops,
        matches_spec = own.first_gone_by_last,
      },
    },
    ["interrupt.*"] = { expect = { no_leak = why.interrupt_is_a_refusal } },
    ["crash_and_pause.two"] = { program = once(10000), expect = { matches_spec = own.first_gone_by_last } },
    ["lose_reply_and_late_request.two"] = { expect = { no_leak = own.unlock_stops } },
    ["pause_and_lose_message.two"] = false,
  },
}
