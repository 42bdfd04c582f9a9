-- simple/counted in the situations of every lock.
local simple = require "simple.counted"
local situations = require "situations"

local function new(me)
  return simple.lock(me, "order:42", { lease_s = 2, retry_ms = 250 })
end

local function short(me)
  return simple.lock(me, "order:42", { lease_s = 1, retry_ms = 250 })
end

return {
  clients = { "A", "B" },
  program = situations.once(new),
  cases   = situations.cases("simple/counted", new, short, {
    uncontended = {},
    contended_2 = {
      expect  = {
        -- The look and the taking are one script.
        strict_mutual_exclusion = "holds",
        -- Nothing wakes a waiter: the lock lies idle until its next try, 250 ms at most.
        prompt = { "holds", idle_ms = 250 },
      },
      must_see = { "contention" },
    },
    contended_3 = {
      expect  = {
        -- However many ask, one script at a time decides.
        strict_mutual_exclusion = "holds",
        -- There is no queue: the first to try after the release is served.
        fifo = "violated",
      },
      must_see = { "contention" },
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
        -- What is left of the lease (2 s), and then at most one sleep of 250 ms.
        prompt = { "holds", idle_ms = 2251 },
      },
    },
    waiter_crash = {
      expect  = {
        -- The dead believe nothing.
        strict_mutual_exclusion = "holds",
        -- A dead waiter costs nothing; if it dies as the holder, its lease has to run out.
        prompt = { "holds", idle_ms = 2251 },
      },
      must_see = { "crash", "contention" },
    },
    lease_expiry = {
      expect  = {
        -- Redis kept its word: each grant was promised for 1000 ms, and no two promises overlap.
        mutual_exclusion = "holds",
        -- The client works 500 ms longer than it was promised, and believes to hold the lock until its release is
        -- answered.
        strict_mutual_exclusion = "violated",
      },
      must_see = { "contention", "expiry" },
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
  }),
}
