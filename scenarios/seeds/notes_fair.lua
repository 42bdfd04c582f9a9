-- notes/fair in the situations of every lock, and in some of its own.
local notes = require "notes.fair"
local situations = require "situations"

local function new(me)
  return notes.lock(me, "{order:42}")
end

local function short(me)
  return notes.lock(me, "{order:42}", { lease_ms = 1000 })
end

return {
  clients = { "A", "B" },
  program = situations.once(new),
  cases   = situations.cases("notes/fair", new, short, {
    -- No other client wants the lock: each acquire must be granted at once, and nothing may stay behind.
    -- The name is a hash tag, so that the sketch's three keys fall into one slot: see cluster_slots.lua.
    uncontended = {},
    contended_2 = {
      expect  = {
        -- Only the head of the queue may take a free lock, and it takes it in one script.
        strict_mutual_exclusion = "holds",
        -- The release publishes the id of the next in the queue.
        prompt = { "holds", idle_ms = 1 },
      },
    },
    contended_3 = {
      expect  = {
        -- However many ask, one script at a time decides.
        strict_mutual_exclusion = "holds",
        -- A free lock goes to the head of the queue, and to newcomers only if the queue is empty.
        fifo = "holds",
      },
    },
    reentrant = {
      expect  = {
        -- The hash counts the holds of its one owner; the key goes with the last of them.
        strict_mutual_exclusion = "holds",
      },
    },
    holder_crash = {
      end_ms  = 100000,
      expect  = {
        -- The dead believe nothing.
        strict_mutual_exclusion = "holds",
        -- The lock expires, but nothing ever takes the dead owner from the head of the queue: the waiter can ask until
        -- the end of time.
        prompt = { "violated", idle_ms = 60000 },
      },
    },
    waiter_crash = {
      end_ms  = 100000,
      expect  = {
        -- The dead believe nothing.
        strict_mutual_exclusion = "holds",
        -- B died in the queue. When its turn comes the release tells B alone, and nothing ever takes the dead out of
        -- the queue.
        prompt = { "violated", idle_ms = 60000 },
      },
    },
    lease_expiry = {
      expect  = {
        -- No two promises overlap.
        mutual_exclusion = "holds",
        -- The lock expires, but its owner stays at the head of the queue until it releases: no other client is let in
        -- before that.
        strict_mutual_exclusion = "holds",
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
    -- The holder is paused past its lease: no client may be let in before it knows, and none shut out for ever.
    pause = {
      clients = { "A", "B" },
      end_ms  = 100000,
      expect  = {
        -- No two promises overlap.
        mutual_exclusion = "holds",
        -- A paused owner stays at the head of the queue, and no other client is let in.
        strict_mutual_exclusion = "holds",
        -- If A sleeps through the answer to its request, it gives up (time-out), yet stays at the head of the queue
        -- for ever.
        no_leak = "violated",
      },
    },
    lost_message = {
      expect  = {
        -- A lost message changes no client's belief.
        strict_mutual_exclusion = "holds",
        -- The waiter never sleeps without limit.
        no_lost_wakeup = "holds",
        -- It sleeps 30 s beside a free lock, then asks again.
        prompt = { "violated", idle_ms = 1000 },
      },
    },
    -- The sketch's key names, <lock>:queue and <lock>:queue:<owner>, fall into different slots of a cluster: the
    -- scripts fail there. With the lock's name in braces, as in the other scenarios here, all of them share one slot.
    cluster_slots = {
      title   = "keys in different slots",
      clients = { "A" },
      program = function(me)
        local lock = notes.lock(me, "order:42")
        lock:acquire()
        me:work(100)
        lock:release()
      end,
      expect  = {
        -- A single server runs them all the same, so this is a finding and no error.
        script_health = "violated",
      },
    },
  }),
}
