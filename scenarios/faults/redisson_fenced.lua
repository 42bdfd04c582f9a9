-- redisson/fenced under every fault. Each client: take the lock, work inside for 100 ms and show the token to what is
-- worked on, give it back.
local redisson = require "redisson.fenced"
local why = require "why"

local own = {
  token_twice = why.breaks "The new server has an older counter, and gives the same token again.",
  tokens_begin_again = why.breaks "The counter of tokens begins again.",
  given_back_at_once = why.breaks "A token that is granted after its caller was interrupted is given back at once.",
}

local function once(me, take)
  local lock = redisson.lock(me, "order:42")
  if take(lock) then
    me:work(100)
    me:use("order 42", lock.token)
    lock:release()
  end
end

local programs = {
  -- The watchdog keeps the lock.
  kept = function(me)
    once(me, function(lock) return lock:acquire() end)
  end,
  -- For a second at most, which only tryLockAndGetToken can say: for worlds that would be too large with a watchdog.
  leased = function(me)
    once(me, function(lock) return lock:try_acquire(5000, 1000) end)
  end,
}

return {
  title   = "redisson/fenced",
  clients = { { "A", start_ms = 0 }, "B", { "C", start_ms = 0 } },
  program = programs.kept,
  faults  = "all",
  expect  = { strict_mutual_exclusion = "holds", fencing = "holds", prompt = { "holds", idle_ms = 30001 } },
  cases   = {
    ["*.three"] = why.pinned,
    ["pause.*"] = {
      program = programs.leased,
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = { "holds", idle_ms = 1001 },
        no_leak = why.subscribe_left,
      },
    },
    ["lose_request.*"] = { expect = { no_leak = why.unsubscribe_lost } },
    ["late_request.two"] = { expect = { prompt = why.late_for_nobody } },
    ["duplicate.*"] = { expect = { matches_spec = why.copy_holds } },
    ["failover.*"] = {
      expect = {
        mutual_exclusion = why.replica_never_knew, strict_mutual_exclusion = why.replica_never_knew,
        fencing = own.token_twice,
      },
    },
    ["wipe.*"] = {
      expect = {
        mutual_exclusion = why.memory_gone, strict_mutual_exclusion = why.memory_gone,
        fencing = own.tokens_begin_again,
      },
    },
    ["evict.*"] = {
      expect = {
        mutual_exclusion = why.key_gone, strict_mutual_exclusion = why.key_gone, fencing = own.tokens_begin_again,
      },
    },
    ["interrupt.*"] = {
      expect = { no_deadlock = "holds", prompt = { "holds", why = own.given_back_at_once.why }, no_leak = "holds" },
    },
    ["crash_and_pause.two"] = {
      program = programs.leased,
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = { "holds", idle_ms = 1001 },
        no_leak = why.subscribe_left,
      },
    },
    ["lose_reply_and_late_request.two"] = { expect = { prompt = why.answer_on_top } },
    ["pause_and_lose_message.two"] = {
      program = programs.leased,
      expect = {
        strict_mutual_exclusion = why.woke_inside, prompt = { "holds", idle_ms = 1001 },
        no_leak = why.subscribe_left,
      },
    },
  },
}
