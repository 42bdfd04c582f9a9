-- simple_redis_mutex/lock in the situations of every lock. A process keeps its subscription, and the script takes its
-- channel for a key: so no_leak and script_health are always violated (scenarios/faults/simple_redis_mutex.lua). A
-- release of what is gone tells nothing: matches_spec.
local driver = require "simple_redis_mutex.lock"
local situations = require "situations"

local function new(me)
  return driver.lock(me, "order:42", { lease_ms = 2000, poll_ms = 1500 })
end

local function short(me)
  return driver.lock(me, "order:42", { lease_ms = 1000, poll_ms = 600 })
end

return {
  clients = { "A", "B" },
  program = situations.once(new),
  cases   = situations.cases("simple_redis_mutex/lock", new, short, {
    contended_2 = {
      -- A message wakes who waits.
      expect   = {
        script_health = "violated", no_leak = "violated", strict_mutual_exclusion = "holds",
        prompt = { "holds", idle_ms = 1 },
      },
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
      expect   = {
        script_health = "violated", no_leak = "violated", matches_spec = "violated", mutual_exclusion = "holds",
        owner_only = "holds", strict_mutual_exclusion = "violated",
      },
      must_see = { "contention" },
    },
    holder_crash = {
      -- What is left of the lease, and then at most one sleep.
      expect   = {
        script_health = "violated", no_leak = "violated", strict_mutual_exclusion = "holds",
        prompt = { "holds", idle_ms = 3501 },
      },
      must_see = { "crash", "contention" },
    },
    lease_expiry = {
      expect   = {
        script_health = "violated", no_leak = "violated", matches_spec = "violated", mutual_exclusion = "holds",
        strict_mutual_exclusion = "violated",
      },
      must_see = { "contention" },
    },
  }),
}
