-- redisson/fair in the situations of every lock, and in some of its own.
local redisson = require "redisson.fair"
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
  cases   = situations.cases("redisson/fair", new, short, {
    uncontended = {},
    contended_2 = {
      expect  = {
        -- Only the head of the queue may take a free lock, and it takes it in one script.
        strict_mutual_exclusion = "holds",
        -- The release publishes to the head's own channel; the head asked again after subscribing.
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
        -- B died at the head of the queue. The release wakes B alone; C is let in only when B's slot of 300 s is over.
        prompt = { "violated", idle_ms = 60000 },
        -- From the end of its first wait until then C is told to wait 0 ms, and asks without a pause.
        no_busy_wait = "violated",
      },
    },
    gives_up = {
      expect  = {
        -- Who gave up believes nothing.
        strict_mutual_exclusion = "holds",
        -- A waiter that gives up leaves the queue: the release wakes the next.
        prompt = { "holds", idle_ms = 1 },
        -- Those who stay keep their places.
        fifo = "holds",
      },
    },
    lease_expiry = {
      expect  = {
        -- Redis kept its word: each grant was promised for 1000 ms, and no two promises overlap.
        mutual_exclusion = "holds",
        -- The client works 500 ms longer than it was promised, and believes to hold the lock until its release is
        -- answered.
        strict_mutual_exclusion = "violated",
        -- The second to overstay is told "released", though its lock had expired: the release takes a lock that is
        -- gone for released.
        matches_spec = "violated",
      },
    },
    -- A client that holds nothing releases the lock: the holder must not notice, and the stranger should be told.
    non_owner = {
      title   = "a release by a stranger",
      clients = { "A", "B" },
      program = function(me)
        local lock = redisson.lock(me, "order:42")
        if me.client == "A" then
          lock:acquire()
          me:work(100)
          assert(lock:release() == true)
        else
          lock:release()
        end
      end,
      expect  = {
        -- The holder is never disturbed.
        strict_mutual_exclusion = "holds",
        -- A release looks for its own owner id first.
        owner_only = "holds",
        -- While the lock is free, a stranger's release is answered "released": the script takes a lock that is gone
        -- for released.
        matches_spec = "violated",
      },
      must_see = { "grant", "release" },
    },
    pause = {
      expect  = {
        -- The lease ran out because its holder was paused; no promise was broken.
        mutual_exclusion = "holds",
        -- The paused client wakes up inside its critical section, where the next one is by now. No lease can prevent
        -- it; fencing tokens can.
        strict_mutual_exclusion = "violated",
        -- If the lock is free again when A wakes up, A is told "released", though it had lost it.
        matches_spec = "violated",
        -- If A sleeps through the answer to its request, it gives up (time-out) and does not leave the queue.
        no_leak = "violated",
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
    -- The work outlasts a waiter's slot in the queue, while the watchdog keeps the lock: no live waiter may be
    -- forgotten.
    long_work = {
      title   = "the work outlasts a waiter's slot",
      clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 331000 } },
      program = function(me)
        local lock = redisson.lock(me, "order:42")
        if lock:acquire() then
          me:work(me.client == "A" and 332000 or 100)
          lock:release()
        end
      end,
      expect  = {
        -- B is told what is left of the holder's lease, asks again when it is over, and never sleeps without limit.
        no_lost_wakeup = "holds",
        -- But its slot of 330 s is over when C first asks: C drops B, which has to queue again, behind C.
        fifo = "violated",
      },
      must_see = { "renewal", "wait" },
    },
  }),
}
