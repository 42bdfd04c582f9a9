-- redisson/fenced in situations of its own.
local redisson = require "redisson.fenced"

return {
  cases = {
    -- The holder is paused past its lease and wakes inside its critical section: the resource knows its token for an
    -- old one.
    pause = {
      title   = "redisson/fenced: a pause longer than the lease",
      clients = { "A", { "B", start_ms = 10 } },
      program = function(me)
        local lock = redisson.lock(me, "order:42")
        if lock:try_acquire(5000, 1000) then
          me:use("order 42", lock.token)
          me:work(100)
          me:use("order 42", lock.token)
          lock:release()
        end
      end,
      faults  = { pause = 1 },
      expect  = {
        -- Two believe to hold the lock ...
        strict_mutual_exclusion = "violated",
        -- ... and the resource lets only the later one in.
        fencing = "holds",
        -- A SUBSCRIBE that is not confirmed before its caller gives up is never undone.
        no_leak = "violated",
      },
      must_see = { "pause", "expiry" },
    },
    -- lock(lease) of a fenced lock keeps the lease, which lockAndGetToken(lease) forgets: who never unlocks is
    -- followed when it ends.
    lease_without_token = {
      title   = "redisson/fenced: a lease without a token",
      clients = { "A", { "B", start_ms = 10 } },
      program = function(me)
        local lock = redisson.without_token(me, "order:42", { lease_ms = 1000 })
        lock:acquire()
        me:work(100)
        if me.client == "B" then
          lock:release()
        end
      end,
      expect  = {
        strict_mutual_exclusion = "holds",
        prompt = { "holds", idle_ms = 1000 },      -- B gets in when A's lease has ended
      },
      must_see = { "wait", "expiry" },
    },
    -- With replicas an acquire counts only if one of them is known to have it. Other locks take back what it may have
    -- done and try again; lockAndGetToken leaves it at that, and its caller, though told that it failed, holds the
    -- lock by the server's account.
    unsynced = {
      title    = "redisson/fenced: an acquire that no replica has",
      replicas = 1,
      clients  = { "A" },
      program  = function(me)
        local lock = redisson.lock(me, "order:42", { replicas = 1 })
        local from_ms = me:now()
        local got, why = lock:acquire()
        if got then
          assert(me:now() == from_ms)              -- it was no further attempt
          lock:release()
        else
          assert(why == "nosync" and me:call("HEXISTS", "order:42", me.id) == 1)
          me:log("left behind")
        end
      end,
      faults   = { lag = 1 },
      expect   = {
        -- The watchdog was not started, so the lease ends it.
        no_leak = "holds",
      },
      must_see = { "lag", "grant", "expiry" },
    },
    -- lock() of a fenced lock tells no token, but counts one: the next token granted is higher than that of
    -- any holder before.
    without_token = {
      title   = "redisson/fenced: holders with tokens and one without",
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 }, { "C", start_ms = 10 } },
      program = function(me)
        if me.client == "B" then
          local lock = redisson.without_token(me, "order:42")
          lock:acquire()
          lock:acquire()                           -- a re-entry is numbered, too
          assert(lock.token == nil)
          me:work(100)
          assert(lock:release() == false and lock:release() == true)
          return
        end
        local lock = redisson.lock(me, "order:42")
        lock:acquire()
        assert(lock.token == 1 and me.client == "A" or lock.token == 2 or lock.token == 4)  -- before B's two, or after
        me:work(100)
        lock:release()
      end,
      expect  = {
        strict_mutual_exclusion = "holds",
        reentrancy = "holds",
        prompt = { "holds", idle_ms = 1 },
      },
      must_see = { "wait", "re-entry" },
    },
  },
}
