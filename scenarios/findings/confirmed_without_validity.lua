-- SET, WAIT and a look, as the lock of the twin of confirmed_by_an_old_value.lua: safe from a failover. But the lease
-- begins with SET, and the client counts it from the last answer, as if asking had taken no time. Where a request
-- comes to a slow server late, the lock is over as soon as it is granted, and the next client has it, too: no process
-- was paused, no server failed.
--
-- How likely: whatever makes an answer late by about a lease; so the shorter the lease, the likelier. With requests
-- that may take three seconds, as here and by default in many clients, every lease up to that is in danger. The mend
-- is Redlock's validity: look at the clock before SET and after the last answer, and give the lock back when the lease
-- is over (within_lease, as scripts/basic/confirmed.lua has it). No library is meant: the lock is one of the shipped
-- ones.
local generic = require "generic"
local mended = require "basic.confirmed"

local confirmed = generic.lock {
  acquire  = {
    { "SET", "$lock", "$try", "NX", "PX", "$lease_ms" },
    { "WAIT", 1, 100, at_least = 1 },
    { "GET", "$lock", equals = "$try" },
  },
  release  = "basic/set_nx/release.lua",
  args     = { release = { "$try" } },
  granted  = "OK",
}

local function program(me, driver)
  local lock = (driver or confirmed).lock(me, "order:42", { lease_ms = 1000, retry_ms = 500 })
  if lock:acquire() then
    me:work(200)
    lock:release()
  end
end

return {
  title    = "a confirmed lock is over when its client hears of it",
  replicas = 1,
  clients  = { "A", "B" },
  program  = program,
  faults   = { late_request = 1 },
  expect   = { mutual_exclusion = "violated", strict_mutual_exclusion = "violated", lease_set = "violated" },
  must_see = { "late_request" },

  -- confirmed_without_validity.lua with a lock that counts its lease from before SET, and gives the lock back when the
  -- answers took longer.
  twin = {
    title    = "a confirmed lock is given back when it is over",
    program  = function(me)
      program(me, mended)
    end,
    expect   = {
      mutual_exclusion = "holds", lease_set = "holds",
      -- A grant of which 200 ms are left is a good one, and 200 ms of work fill it: the lease ends before the release
      -- is sent. That a lease can end inside the work is so with every lock that has one.
      strict_mutual_exclusion = { "violated", why = "What is left of the lease may be just as long as the work." },
    },
    must_see = { "late_request" },
  },
}
