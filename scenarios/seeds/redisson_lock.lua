-- redisson/lock in the situations of every lock.
local redisson = require "redisson.lock"
local situations = require "situations"

local function new(me)
  return redisson.lock(me, "order:42")
end

local function short(me)
  return redisson.lock(me, "order:42", { lease_ms = 1000 })
end

return {
  clients = { "A", "B" },
  program = situations.once(new),
  cases   = situations.cases("redisson/lock", new, short, {
    uncontended = {},
    contended_2 = {
      expect  = {
        -- exists and hincrby are one script: nothing comes between the look and the taking.
        strict_mutual_exclusion = "holds",
        -- The release publishes, and the waiter, which asked again after subscribing, cannot miss it.
        prompt = { "holds", idle_ms = 1 },
      },
    },
    -- Three clients want the lock at once, once each: the first to ask should be served first, and none forgotten.
    contended_3 = {
      title   = "three clients",
      clients = { "A", "B", "C" },
      program = function(me)
        local lock = redisson.lock(me, "order:42")
        if lock:acquire() then
          me:work(100)
          lock:release()
        end
      end,
      expect  = {
        -- However many ask, one script at a time decides.
        strict_mutual_exclusion = "holds",
        -- A client that asks just as the lock becomes free passes those that wait for the message: there is no queue.
        fifo = "violated",
      },
      must_see = { "contention", "wait" },
    },
    reentrant = {
      expect  = {
        -- The hash counts the holds of its one owner; the key goes with the last of them.
        strict_mutual_exclusion = "holds",
      },
    },
    holder_crash = {
      expect  = {
        -- The dead believe nothing.
        strict_mutual_exclusion = "holds",
        -- At the crash at most 30 s of the lease are left, and a millisecond, for the deadline itself still counts;
        -- the waiter sleeps no longer than that.
        prompt = { "holds", idle_ms = 30001 },
      },
    },
    waiter_crash = {
      expect  = {
        -- The dead believe nothing.
        strict_mutual_exclusion = "holds",
        -- A dead waiter costs nothing, for all hear the message; if it dies as the holder, its lease has to run out.
        prompt = { "holds", idle_ms = 30001 },
      },
    },
    gives_up = {
      expect  = {
        -- Who gave up believes nothing.
        strict_mutual_exclusion = "holds",
        -- A release wakes one of those who still wait.
        prompt = { "holds", idle_ms = 1 },
      },
    },
    lease_expiry = {
      expect  = {
        -- Redis kept its word: each grant was promised for 1000 ms, and no two promises overlap.
        mutual_exclusion = "holds",
        -- The client works 500 ms longer than it was promised, and believes to hold the lock until its release is
        -- answered.
        strict_mutual_exclusion = "violated",
      },
    },
    non_owner = {
      expect  = {
        -- The holder is never disturbed.
        strict_mutual_exclusion = "holds",
        -- A release looks for its own owner id first.
        owner_only = "holds",
      },
    },
    pause = {
      expect  = {
        -- The lease ran out because its holder was paused; no promise was broken.
        mutual_exclusion = "holds",
        -- The paused client wakes up inside its critical section, where the next one is by now. No lease can prevent
        -- it; fencing tokens can.
        strict_mutual_exclusion = "violated",
      },
    },
    lost_message = {
      expect  = {
        -- A lost message changes no client's belief.
        strict_mutual_exclusion = "holds",
        -- The waiter never sleeps without limit.
        no_lost_wakeup = "holds",
        -- It sleeps as long as the holder's lease could still run when it asked: up to 30 s beside a free lock.
        prompt = { "violated", idle_ms = 1000 },
      },
    },
  }),
}
