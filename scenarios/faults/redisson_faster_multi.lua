-- redisson/faster_multi under every fault. Each client: take two accounts of a group at once, work for 100 ms, give
-- them back.
local redisson = require "redisson.faster_multi"

local why = require "why"

local own = {
  taken_in_the_last_ms = why.breaks("A value that is taken in the last millisecond of the group's life goes with " ..
      "it: no TTL is set then."),
  gone_in_the_next_ms = why.breaks("A value that is taken in the last millisecond of the group's life is gone in " ..
      "the next one: another takes it."),
  values_end_frozen = why.breaks("The time of the values ends while their owner is frozen: it wakes inside its " ..
      "critical section."),
  unlock_asks_nobody = why.breaks("An unlock does not look at the owner: in the last millisecond of its hold it " ..
      "takes the next owner's."),
  values_renewed_for_nobody = why.breaks("A release that stalled or was not answered leaves the values with a " ..
      "thread that is gone; the watchdog renews them."),
  counts_by_sending = why.breaks("A request counts by its sender's clock at sending: one that was under way when " ..
      "the time ended is told the contrary."),
  one_key = why.breaks "The group's key is all there is.",
  clock_ahead_takes = why.breaks("A value ends by the next caller's clock: if that is ahead, it takes what " ..
      "its owner still works with."),
  clock_ahead_loses = why.breaks("A client whose clock jumped takes another's values and is told that its own are " ..
      "over: nothing is given back."),
  values_interrupted = why.breaks("An interrupted acquire still takes the values, and the watchdog renews them for " ..
      "a thread that is gone."),
  sent_again_counts = why.breaks "An acquire without an answer is sent again, and both of them count.",
  one_unlock_of_two = why.breaks("An acquire without an answer is sent again, and both of them count: one unlock " ..
      "leaves the values taken."),
}

return {
  title   = "redisson/faster_multi",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = function(me)
    local accounts = redisson.lock(me, "accounts", { "1", "2" })
    if accounts:acquire() then
      me:work(100)
      accounts:release()
    end
  end,
  faults  = "all",
  expect  = { prompt = { "holds", idle_ms = 30001 } },
  cases   = {
    ["*.three"] = why.pinned,
    ["crash.*"] = { expect = { lease_set = own.taken_in_the_last_ms } },
    ["crash.two"] = { expect = { strict_mutual_exclusion = "holds" } },
    ["crash.three"] = {
      expect = { mutual_exclusion = own.gone_in_the_next_ms, strict_mutual_exclusion = own.gone_in_the_next_ms },
    },
    ["restart.*"] = {
      expect = {
        mutual_exclusion = own.gone_in_the_next_ms, strict_mutual_exclusion = own.gone_in_the_next_ms,
        lease_set = own.taken_in_the_last_ms,
      },
    },
    ["pause.*"] = {
      expect = {
        strict_mutual_exclusion = own.values_end_frozen, owner_only = own.unlock_asks_nobody,
        prompt = own.values_renewed_for_nobody, lease_set = own.taken_in_the_last_ms,
        matches_spec = own.counts_by_sending,
      },
    },
    ["pause.two"] = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      expect = { mutual_exclusion = own.gone_in_the_next_ms, reentrancy = own.sent_again_counts },
    },
    ["pause.three"] = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 }, { "C", start_ms = 10 } },
      expect = { mutual_exclusion = own.gone_in_the_next_ms },
    },
    ["lose_message.*"] = { expect = { strict_mutual_exclusion = "holds" } },
    ["lose_request.*"] = { expect = { strict_mutual_exclusion = "holds", no_leak = own.values_renewed_for_nobody } },
    ["lose_reply.*"] = { expect = { lease_set = own.taken_in_the_last_ms } },
    ["lose_reply.two"] = { expect = { strict_mutual_exclusion = "holds" } },
    ["lose_reply.three"] = {
      expect = { mutual_exclusion = own.gone_in_the_next_ms, strict_mutual_exclusion = own.gone_in_the_next_ms },
    },
    ["late_request.*"] = { expect = { strict_mutual_exclusion = "holds" } },
    ["late_request.two"] = {
      expect = { lease_set = own.taken_in_the_last_ms, matches_spec = own.counts_by_sending },
    },
    ["duplicate.*"] = { expect = { lease_set = own.taken_in_the_last_ms } },
    ["duplicate.two"] = { expect = { strict_mutual_exclusion = "holds" } },
    ["duplicate.three"] = {
      expect = { mutual_exclusion = own.gone_in_the_next_ms, strict_mutual_exclusion = own.gone_in_the_next_ms },
    },
    ["lag.*"] = { expect = { strict_mutual_exclusion = "holds" } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = "violated", strict_mutual_exclusion = own.one_key, lease_set = own.taken_in_the_last_ms,
      },
    },
    ["wipe.*"] = { expect = { mutual_exclusion = "violated", strict_mutual_exclusion = own.one_key } },
    ["evict.*"] = { expect = { mutual_exclusion = "violated", strict_mutual_exclusion = own.one_key } },
    ["clock_jump.*"] = {
      expect = {
        mutual_exclusion = "violated", strict_mutual_exclusion = own.clock_ahead_takes, owner_only = "violated",
        reentrancy = own.clock_ahead_loses, lease_set = own.taken_in_the_last_ms, matches_spec = "violated",
      },
    },
    ["script_flush.*"] = { expect = { strict_mutual_exclusion = "holds" } },
    ["interrupt.*"] = {
      expect = {
        strict_mutual_exclusion = "holds", no_deadlock = "violated", prompt = own.values_interrupted,
        no_leak = "violated",
      },
    },
    ["crash_and_pause.two"] = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      expect = {
        mutual_exclusion = own.gone_in_the_next_ms, strict_mutual_exclusion = own.values_end_frozen,
        owner_only = own.unlock_asks_nobody, reentrancy = own.sent_again_counts,
        prompt = own.values_renewed_for_nobody, lease_set = own.taken_in_the_last_ms,
        matches_spec = own.counts_by_sending,
      },
    },
    ["lose_reply_and_late_request.two"] = {
      expect = {
        strict_mutual_exclusion = "holds", owner_only = own.unlock_asks_nobody, reentrancy = own.sent_again_counts,
        prompt = own.one_unlock_of_two, lease_set = own.taken_in_the_last_ms, matches_spec = own.counts_by_sending,
      },
    },
    -- One process freezes, and one message is lost.
    ["pause_and_lose_message.two"] = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      expect = {
        mutual_exclusion = own.gone_in_the_next_ms, strict_mutual_exclusion = own.values_end_frozen,
        owner_only = own.unlock_asks_nobody, reentrancy = own.sent_again_counts,
        prompt = own.values_renewed_for_nobody, lease_set = own.taken_in_the_last_ms,
        matches_spec = own.counts_by_sending,
      },
    },
  },
}
