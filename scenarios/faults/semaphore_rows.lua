-- semaphore_rows.lua: what breaks under every fault where the semaphores of redis-semaphore are locks: each holder is
-- an entry of a sorted set, whose score is a time by its client's own clock.
local why = require "why"

local own = {
  late_permit = why.breaks("Its lease is counted from when it was sent: a request that runs late takes a permit " ..
      "that has run out already, and is told that it has it."),
  slow_answer = why.breaks("The first refresh is due four fifths of a lease after the answer: where that came a " ..
      "fifth of a lease late, the permit has run out by then."),
  fast_clock = why.breaks("A client whose clock is ahead by more than the lease drops holders whose lease is not " ..
                          "over."),
}

local slow = {
  mutual_exclusion = own.slow_answer, strict_mutual_exclusion = why.woke_inside, matches_spec = own.late_permit,
}
local late = {
  mutual_exclusion = own.late_permit, strict_mutual_exclusion = own.late_permit,
  prompt = why.waits_for_an_answer, matches_spec = own.late_permit,
}

return {
  ["pause.*"] = { expect = slow },
  ["lose_message.*"] = false,
  ["lose_request.*"] = { expect = { prompt = why.waits_for_an_answer } },
  ["lose_reply.*"] = { expect = { prompt = why.waits_for_an_answer } },
  ["late_request.*"] = { expect = late },
  ["duplicate.*"] = { expect = { matches_spec = why.copy_answers_first } },
  -- The package's documents say so, and ask for leases that are longer than clocks differ.
  ["clock_jump.*"] = {
    expect = { mutual_exclusion = own.fast_clock, strict_mutual_exclusion = own.fast_clock,
               owner_only = own.fast_clock },
  },
  ["failover.*"] = {
    expect = { mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew },
  },
  ["wipe.*"] = { expect = { mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone } },
  ["evict.*"] = { expect = { mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone } },
  ["crash_and_pause.two"] = { expect = slow },
  ["lose_reply_and_late_request.two"] = { expect = late },
  ["pause_and_lose_message.two"] = false,
}
