-- node_redlock/redlock, on one server, in the situations of every lock; and on three.
local redlock = require "node_redlock.redlock"
local situations = require "situations"

local one, three = redlock.over(1), redlock.over(3)

local function new(me)
  return one.lock(me, "order:42", { lease_ms = 2000, retries = 4, retry_ms = 700, jitter_ms = 0 })
end

local function short(me)
  return one.lock(me, "order:42", { lease_ms = 1000, retries = 4, retry_ms = 700, jitter_ms = 0 })
end

return {
  clients = { "A", "B" },
  program = situations.once(new),
  cases   = situations.cases("node_redlock/redlock", new, short, {
    uncontended = {},
    contended_2 = {
      -- Nothing wakes a waiter: the lock lies idle until its next try, 700 ms at most.
      expect   = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 700 } },
      must_see = { "contention" },
    },
    -- The same with work that takes any time: it may outlast the lease.
    any_work = {
      title   = "work that takes any time",
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      program = function(me)
        local lock = new(me)
        if lock:acquire() then
          me:work()
          lock:release()
        end
      end,
      expect   = { mutual_exclusion = "holds", owner_only = "holds", strict_mutual_exclusion = "violated" },
      must_see = { "contention", "expiry" },
    },
    -- One holder works for as long as any number of leases: the package's timer extends the lock each time.
    using = {
      title   = "automatic extension",
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      program = function(me)
        local lock = new(me)
        if me.client == "A" then
          assert(lock:using(function(signal)
            me:work(3500)
            return not signal.aborted
          end) == true)
        elseif lock:acquire() then
          me:work(100)
          lock:release()
        end
      end,
      expect   = { strict_mutual_exclusion = "holds", lease_set = "holds" },
      must_see = { "contention", "renewal" },
    },
    holder_crash = {
      -- What is left of the lease (2 s), and then at most one sleep of 700 ms.
      expect   = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 2701 } },
      must_see = { "crash", "contention" },
    },
    lease_expiry = {
      expect   = { mutual_exclusion = "holds", strict_mutual_exclusion = "violated" },
      must_see = { "contention", "expiry" },
    },
    non_owner = {
      expect   = { strict_mutual_exclusion = "holds", owner_only = "holds" },
    },
    pause = {
      expect   = { mutual_exclusion = "holds", strict_mutual_exclusion = "violated" },
    },
    -- Three servers, each asked at the same time as the others: too many orders to take all.
    three_servers = {
      title   = "three servers, one of which starts again empty",
      servers = 3,
      program = function(me)
        local lock = three.lock(me, "order:42", { lease_ms = 2000, retries = 4, retry_ms = 700, jitter_ms = 0 })
        if lock:acquire() then
          me:work(100)
          lock:release()
        end
      end,
      explore  = { random = 400 },
      faults   = { wipe = 1 },
      expect   = { mutual_exclusion = "violated" },
      must_see = { "wipe", "contention" },
    },
  }),
}
