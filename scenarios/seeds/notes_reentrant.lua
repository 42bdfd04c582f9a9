-- notes/reentrant in the situations of every lock.
local notes = require "notes.reentrant"
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
  cases   = situations.cases("notes/reentrant", new, short, {
    -- No other client wants the lock: each acquire must be granted at once, and nothing may stay behind.
    uncontended = {
      title   = "uncontended",
      clients = { "A" },
      program = function(me)
        local lock = notes.lock(me, "order:42")
        for _ = 1, 2 do
          assert(lock:try_acquire() == true)
          me:work(100)
          local freed, why = lock:release()        -- the lock is gone, but the caller is told of an error
          assert(freed == nil and why:find("publish", 1, true))
        end
      end,
      expect  = {
        -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
        script_health = "violated",
      },
    },
    contended_2 = {
      expect  = {
        -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
        script_health = "violated",
      },
    },
    contended_3 = {
      expect  = {
        -- However many ask, one script at a time decides.
        strict_mutual_exclusion = "holds",
        -- There is no queue; and since no message is ever sent, a client that asks at the right moment is served.
        fifo = "violated",
        -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
        script_health = "violated",
      },
    },
    reentrant = {
      expect  = {
        -- The hash counts the holds of its one owner; the key goes with the last of them.
        strict_mutual_exclusion = "holds",
        -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
        script_health = "violated",
      },
    },
    holder_crash = {
      expect  = {
        -- The dead believe nothing.
        strict_mutual_exclusion = "holds",
        -- No message comes, and the refusal does not say how long: the waiter sleeps 30 s and asks again.
        prompt = { "holds", idle_ms = 30001 },
        -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
        script_health = "violated",
      },
    },
    waiter_crash = {
      expect  = {
        -- The dead believe nothing.
        strict_mutual_exclusion = "holds",
        -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
        script_health = "violated",
        -- If B dies as the holder, C may ask just before its lease ends, and then sleeps 30 s more.
        prompt = { "holds", idle_ms = 60001 },
      },
    },
    lease_expiry = {
      expect  = {
        -- Redis kept its word: each grant was promised for 1000 ms, and no two promises overlap.
        mutual_exclusion = "holds",
        -- The client works 500 ms longer than it was promised. (No client releases in time, so the faulty publish is
        -- never reached.)
        strict_mutual_exclusion = "violated",
      },
    },
    -- A client that holds nothing releases the lock: the holder must not notice.
    non_owner = {
      title   = "a release by a stranger",
      clients = { "A", "B" },
      program = function(me)
        local lock = notes.lock(me, "order:42")
        if me.client == "A" then
          lock:acquire()
          me:work(100)
          lock:release()
        else
          local freed, why = lock:release()
          assert(freed == nil and why == "not owner")
        end
      end,
      expect  = {
        -- The holder is never disturbed.
        strict_mutual_exclusion = "holds",
        -- A release looks for its own owner id first.
        owner_only = "holds",
        -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
        script_health = "violated",
      },
      must_see = { "grant" },
    },
    pause = {
      expect  = {
        -- The lease ran out because its holder was paused; no promise was broken.
        mutual_exclusion = "holds",
        -- The paused client wakes up inside its critical section, where the next one is by now. No lease can prevent
        -- it; fencing tokens can.
        strict_mutual_exclusion = "violated",
        -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
        script_health = "violated",
      },
    },
    -- There is no unlock message at all: the waiter must find out by itself.
    lost_message = {
      expect  = {
        -- A lost message changes no client's belief.
        strict_mutual_exclusion = "holds",
        -- The waiter never sleeps without limit.
        no_lost_wakeup = "holds",
        -- There is no message to lose: the faulty release never sends one. The waiter sleeps 30 s beside a free lock.
        prompt = { "violated", idle_ms = 1000 },
        -- The last release calls redis.publish, which no Redis has. The lock is deleted by then.
        script_health = "violated",
      },
      must_see = { "wait" },
    },
  }),
}
