-- two_requests.lua: what breaks under every fault where a lock takes its key by one request and gives it its end by a
-- second one: an answer, a request or a client that is lost in between leaves a lock without an end.
local why = require "why"

-- The cases. idle_ms: the lease, the pause between two attempts and its jitter, and a millisecond.
return function(idle_ms)
  local soon = { "holds", idle_ms = idle_ms }
  local late = { "violated", idle_ms = idle_ms, why = why.stops_between.why }
  local endless = { no_deadlock = why.endless_lock_blocks, prompt = late, no_leak = why.endless_lock_stays }
  return {
    ["*.three"] = why.pinned,
    ["crash.*"] = { expect = endless },
    ["restart.*"] = { expect = { no_deadlock = why.endless_lock_blocks, prompt = late } },
    ["pause.*"] = {
      end_ms = 5000,
      expect = { strict_mutual_exclusion = why.woke_inside, prompt = soon, no_leak = why.endless_lock_stays },
    },
    ["lose_message.*"] = false,
    ["lose_request.*"] = { expect = endless },
    ["lose_reply.*"] = { expect = endless },
    ["late_request.*"] = { expect = { prompt = late, no_leak = why.endless_lock_stays } },
    ["late_request.two"] = { expect = { no_deadlock = why.late_for_ever } },
    ["duplicate.*"] = {
      expect = {
        owner_only = why.pexpire_asks_nobody, no_deadlock = why.endless_lock_blocks, prompt = late,
        no_leak = why.endless_lock_stays, matches_spec = why.copy_takes_the_answer,
      },
    },
    ["lag.*"] = { expect = { prompt = soon } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew,
        owner_only = why.pexpire_asks_nobody, prompt = soon, matches_spec = why.goes_on_without_it,
      },
    },
    ["wipe.*"] = {
      expect = {
        mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone,
        owner_only = why.pexpire_asks_nobody, prompt = soon, matches_spec = why.goes_on_without_it,
      },
    },
    ["evict.*"] = {
      expect = {
        mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone, owner_only = why.pexpire_asks_nobody,
        prompt = soon, matches_spec = why.goes_on_without_it,
      },
    },
    ["clock_jump.*"] = { expect = { prompt = soon } },
    ["script_flush.*"] = { expect = { prompt = soon } },
    ["interrupt.*"] = { expect = endless },
    ["crash_and_pause.two"] = {
      end_ms = 5000,
      expect = { strict_mutual_exclusion = why.woke_inside, prompt = late, no_leak = why.endless_lock_stays },
    },
    ["lose_reply_and_late_request.two"] = { expect = endless },
    ["pause_and_lose_message.two"] = false,
  }
end
