-- notes/reentrant_mended in the situations of every lock.
local notes = require "notes.reentrant_mended"
local situations = require "situations"

local function new(me)
  return notes.lock(me, "order:42")
end

local function short(me)
  return notes.lock(me, "order:42", { lease_ms = 1000 })
end

return {
  clients = { "A", "B" },
  program = situations.once(new),
  cases   = situations.cases("notes/reentrant_mended", new, short, {
    uncontended = {},
    contended_2 = {
      expect  = {
        -- exists and hincrby are one script: nothing comes between the look and the taking.
        strict_mutual_exclusion = "holds",
        -- The release publishes, and the waiter, which asked again after subscribing, cannot miss it.
        prompt = { "holds", idle_ms = 1 },
      },
    },
    contended_3 = {
      expect  = {
        -- However many ask, one script at a time decides.
        strict_mutual_exclusion = "holds",
        -- A client that asks just as the lock becomes free passes those that wait for the message: there is no queue.
        fifo = "violated",
      },
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
        -- No message comes, and the refusal does not say how long: the waiter sleeps 30 s and asks again.
        prompt = { "holds", idle_ms = 30001 },
      },
    },
    waiter_crash = {
      expect  = {
        -- The dead believe nothing.
        strict_mutual_exclusion = "holds",
        -- If B dies as the holder, C may ask just before its lease ends, and then sleeps 30 s more.
        prompt = { "holds", idle_ms = 60001 },
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
