-- An acquire of Redisson's semaphore is executed, and its answer is lost. The client's call ends in an exception after
-- 3 s, so that no client gives the permit back; and a permit has no owner and no end. It is gone for good, and when as
-- many answers were lost as there are permits, every client waits for ever. No process failed.
--
-- How likely: as likely as one time-out of an acquire, which a short stall of the server or the network makes of many
-- at once; and it adds up over the months that a pool lives. Sending the acquire again takes a second permit, and
-- giving one back in the handler of the exception makes one too many where the request was lost on its way there. The
-- mend is a permit with a name and an end: redisson.permits.
-- Checked against redisson 4.7.0 by a trace of the real client (semaphore_05).
local permits = require "redisson.permits"
local redisson = require "redisson.semaphore"

local function program(me, kind, opts)
  local pool = (kind or redisson).semaphore(me, "pool", opts or { permits = 1 })
  pool:try_set_permits()
  local permit = pool:acquire()
  if permit then
    me:work(100)
    pool:release(type(permit) == "string" and permit or nil)           -- by its name, where permits have names
  end
end

return {
  title   = "one lost answer takes a permit away for good",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = program,
  faults  = { lose_reply = { 1, of = "A" } },
  expect  = { no_deadlock = "violated" },
  must_see = { "lose_reply", "timeout" },

  -- The same with permits that run out: what a lost answer took comes back with its lease.
  twin = {
    title   = "a permit that no client knows of runs out",
    program = function(me)
      program(me, permits, { permits = 1, lease_ms = 1000 })
    end,
    expect  = { no_deadlock = "holds", no_leak = "holds" },
  },
}
