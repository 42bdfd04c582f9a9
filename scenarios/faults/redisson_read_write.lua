-- redisson/read_write under every fault. Each client: take one side of the lock, work inside for 100 ms, give it back.
local redisson = require "redisson.read_write"
local why = require "why"

local own = {
  two_leases = why.breaks("The copy of a write adds its lease to what is left: a hold its owner is not told of " ..
      "lasts for two leases."),
  copy_ends_first = why.breaks("The copy of a read is a hold whose timeout key ends before that of the one its " ..
      "owner knows: in the last millisecond a release takes away both."),
  lease_added = why.breaks "The copy of a write adds its lease to what is left.",
  reader_taken_for_gone = why.breaks("Without its timeout key a reader counts as gone: the next reader's release " ..
      "takes away both holds."),
  undeclared_keys = why.breaks "The readers' timeout keys are not among the scripts' KEYS.",
}

local function once(side_of)
  return function(me)
    local lock = redisson[side_of(me)](me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end
end

local programs = {
  -- Each client reads or writes.
  any_side = once(function(me)
    return me:choose { "read", "write" }
  end),
  -- The first one writes, the others read: for worlds that would be too large otherwise.
  one_writer = once(function(me)
    return me.client == "A" and "write" or "read"
  end),
}

return {
  title   = "redisson/read_write",
  clients = { "A", "B", { "C", start_ms = 0 } },
  program = programs.one_writer,
  faults  = "all",
  expect  = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 30001 },
              script_health = own.undeclared_keys },
  cases   = {
    ["*.three"] = why.pinned,
    ["*.two"] = { program = programs.any_side },
    ["pause.*"] = {
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = why.renewed_after_release,
      },
    },
    ["pause.two"] = { program = programs.one_writer },
    ["lose_request.*"] = { expect = { no_leak = why.unsubscribe_lost } },
    ["lose_request.two"] = { expect = { prompt = why.answer_on_top } },
    ["late_request.two"] = { expect = { prompt = why.late_for_nobody } },
    ["duplicate.two"] = { expect = { reentrancy = own.copy_ends_first } },
    ["duplicate.*"] = {
      expect = { prompt = own.two_leases, lease_set = own.lease_added, matches_spec = why.copy_holds },
    },
    ["failover.*"] = {
      expect = { mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew },
    },
    ["wipe.*"] = { expect = { mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone } },
    ["evict.*"] = {
      expect = {
        mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone,
        owner_only = own.reader_taken_for_gone,
      },
    },
    ["interrupt.*"] = {
      expect = {
        no_deadlock = why.interrupted_and_renewed, prompt = why.renewed_for_nobody,
        no_leak = why.interrupted_and_renewed,
      },
    },
    ["crash_and_pause.two"] = {
      start_ms = why.pinned.start_ms,
      program = programs.one_writer,
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = why.renewed_after_release,
      },
    },
    ["lose_reply_and_late_request.two"] = { program = programs.one_writer,
      expect = {
        prompt = why.answer_on_top,
      },
    },
    ["pause_and_lose_message.two"] = {
      program = programs.one_writer,
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = why.renewed_after_release,
      },
    },
  },
}
