-- node_redis_warlock/warlock in the situations of every lock.
local driver = require "node_redis_warlock.warlock"
local situations = require "situations"

local function new(me)
  return driver.lock(me, "order:42", { lease_ms = 2000, tries = 20, retry_ms = 250 })
end

local function short(me)
  return driver.lock(me, "order:42", { lease_ms = 1000, tries = 20, retry_ms = 250 })
end

return {
  clients = { "A", "B" },
  program = situations.once(new),
  cases   = situations.cases("node_redis_warlock/warlock", new, short, {
    contended_2 = {
      -- Nothing wakes a waiter: the lock lies idle until its next try.
      expect   = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 250 } },
      must_see = { "contention" },
    },
    -- Work that takes any time: it may outlast the lease.
    any_work = {
      title   = "work that takes any time",
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      program = function(me)
        local lock = short(me)
        if lock:acquire() then
          me:work()
          lock:release()
        end
      end,
      expect   = { mutual_exclusion = "holds", owner_only = "holds", strict_mutual_exclusion = "violated" },
      must_see = { "contention" },
    },
    holder_crash = {
      -- What is left of the lease, and then at most one sleep.
      expect   = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 2251 } },
      must_see = { "crash", "contention" },
    },
    lease_expiry = {
      expect   = { mutual_exclusion = "holds", strict_mutual_exclusion = "violated" },
      must_see = { "contention" },
    },
    non_owner = {
      expect   = { strict_mutual_exclusion = "holds", owner_only = "holds" },
    },
    pause = {
      expect   = { mutual_exclusion = "holds", strict_mutual_exclusion = "violated" },
      must_see = { "pause" },
    },
  }),
}
