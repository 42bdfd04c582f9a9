-- Redisson's lock knows its owner by client and thread, and so does every unlock: nothing says which hold it ends. An
-- unlock stalls on its way; its thread hears nothing for 3 s, gets an exception, and goes on to its next job, for
-- which it takes the lock again. Then the old unlock arrives, and ends the new hold. The thread works on, the lock is
-- free, and another one comes in.
--
-- How likely: it takes an unlock that outlives its time-out on the way (a proxy, a full socket buffer, a server that
-- stood still), a thread of a pool that uses the lock again soon, and a hold that has ended by itself until then, as
-- here, where the lease is shorter than the time-out; before that the thread re-enters, and the late unlock takes off
-- no more than the hold it was meant for. The same for each lock whose value is the thread's id. The mend: a value of
-- its own for each acquisition, as SET NX PX has: the twin.
-- Checked against redisson 4.7.0 by recordings of its scripts (lock.acquire, lock.release).
local redisson = require "redisson.lock"
local set_nx = require "basic.set_nx"

local function program(me, driver)
  local lock = (driver or redisson).lock(me, "order:42", { lease_ms = 2000 })
  for _ = 1, me.client == "A" and 2 or 1 do
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end
end

return {
  title   = "a late unlock ends the next hold of its thread",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 3150 } },
  program = program,
  faults  = { late_request = 1 },
  expect  = {
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    -- The driver's count still has the hold whose unlock was not answered.
    matches_spec = "violated",
  },
  must_see = { "late_request" },

  -- The same world with a lock whose value is another one for each acquisition: the late release looks for a value
  -- that is gone.
  twin = {
    title   = "a late release finds another value",
    program = function(me)
      program(me, set_nx)
    end,
    expect  = {
      mutual_exclusion = "holds",
      strict_mutual_exclusion = "holds",
      -- The specification knows owners and no values: by it the late release should have counted.
      matches_spec = "violated",
    },
  },
}
