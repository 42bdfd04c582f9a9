-- redisson/permits under every fault. Each client: make sure that the pool has its permits, take one for a second,
-- work for 100 ms, give it back. With one permit it is a lock for two clients; with two of them, three clients
-- contend.
local redisson = require "redisson.permits"

local why = require "why"

local own = {
  permit_comes_back_late = why.breaks("A permit that has ended comes back when a client asks for one or gives one " ..
      "back, and not before."),
  permit_ends_frozen = why.breaks "The permit ends while its owner is frozen, which goes on with it when it wakes.",
  counts_by_sending = why.breaks("A permit's time counts from when its client asked, by that clock: one that is " ..
      "given late ends early."),
  permit_unknown = why.breaks "A request is given up after 3 s, and meanwhile a permit is out that no client knows of.",
  two_runs_two_answers = why.breaks("An acquire that runs twice takes the permit and is refused; which answer " ..
      "comes first is open."),
  number_set_again = why.breaks "The number of permits is set again, or comes back, though some are out.",
  names_lost = why.breaks("Permits whose names are lost never come back, and without a number there are none: " ..
      "no lease ends that."),
  permit_by_fast_clock = why.breaks("A permit ends by the next caller's clock: if that is ahead, it takes " ..
      "what its owner still works with."),
}

local function once(permits)
  return function(me)
    local pool = redisson.semaphore(me, "pool", { permits = permits, lease_ms = 1000 })
    pool:try_set_permits()
    local permit = pool:acquire()
    if permit then
      me:work(100)
      pool:release(permit)
    end
  end
end

return {
  title   = "redisson/permits",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = once(1),
  faults  = "all",
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 1001 } },
  cases   = {
    ["*.three"] = { start_ms = why.pinned.start_ms, program = once(2) },
    ["crash.*"] = { expect = { no_leak = own.permit_comes_back_late } },
    ["restart.three"] = { expect = { no_leak = own.permit_comes_back_late } },
    ["pause.*"] = { expect = { no_leak = own.permit_comes_back_late } },
    ["pause.two"] = {
      expect = { mutual_exclusion = own.counts_by_sending, strict_mutual_exclusion = own.permit_ends_frozen },
    },
    ["lose_request.*"] = { expect = { prompt = own.permit_unknown, no_leak = own.permit_comes_back_late } },
    ["lose_reply.*"] = { expect = { prompt = own.permit_unknown, no_leak = own.permit_comes_back_late } },
    ["late_request.*"] = { expect = { prompt = own.permit_unknown, no_leak = own.permit_comes_back_late } },
    ["late_request.two"] = {
      expect = { mutual_exclusion = own.counts_by_sending, strict_mutual_exclusion = own.counts_by_sending },
    },
    ["duplicate.*"] = { expect = { no_leak = own.two_runs_two_answers, matches_spec = "violated" } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = "violated", strict_mutual_exclusion = own.number_set_again, no_deadlock = "violated",
        prompt = own.names_lost,
      },
    },
    ["failover.three"] = { expect = { no_leak = "violated" } },
    ["wipe.*"] = {
      expect = {
        mutual_exclusion = "violated", strict_mutual_exclusion = own.number_set_again, no_deadlock = "violated",
        prompt = own.names_lost,
      },
    },
    ["evict.*"] = {
      expect = {
        mutual_exclusion = "violated", strict_mutual_exclusion = own.number_set_again, no_deadlock = "violated",
        prompt = own.names_lost, no_leak = "violated",
      },
    },
    ["clock_jump.*"] = {
      expect = { mutual_exclusion = "violated", strict_mutual_exclusion = own.permit_by_fast_clock },
    },
    ["interrupt.*"] = { expect = { no_leak = own.permit_comes_back_late } },
    ["crash_and_pause.two"] = {
      expect = {
        mutual_exclusion = own.counts_by_sending, strict_mutual_exclusion = own.permit_ends_frozen,
        no_leak = own.permit_comes_back_late,
      },
    },
    ["lose_reply_and_late_request.two"] = {
      expect = {
        mutual_exclusion = own.counts_by_sending, strict_mutual_exclusion = own.counts_by_sending,
        prompt = own.permit_unknown, no_leak = own.permit_comes_back_late,
      },
    },
    ["pause_and_lose_message.two"] = {
      expect = {
        mutual_exclusion = own.counts_by_sending, strict_mutual_exclusion = own.permit_ends_frozen,
        no_leak = own.permit_comes_back_late,
      },
    },
  },
}
