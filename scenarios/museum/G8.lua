-- A script that fails half-way has done what stands before the failure. Here the lock is written, and EXPIRE then
-- refuses a lease of one and a half seconds: the caller is told of an error, and the lock stays for ever.
local fenced = require "basic.fenced"

return {
  title   = "an error in a script takes nothing back",
  exhibit = { bug = "G8", library = "home-made", what = "a script writes the lock, then fails" },
  clients = { "A", "B" },
  program = function(me)
    local lock = fenced.lock(me, "order:42", { lease_ms = 1500 })
    if lock:acquire() then
      me:work(200)
      lock:release()
    end
  end,
  expect  = {
    script_health = "violated",
    -- B asks for ever.
    no_deadlock = "violated",
    lease_set = "violated",
  },
  patch   = {
    ["basic/fenced/acquire.lua"] = [[
-- acquire.lua: take the lease if it is free, and number it; its length goes to EXPIRE in seconds, after the lock was
-- written.
-- KEYS  1 lock, 2 counter      ARGV  1 a value that is never used twice, 2 lease in milliseconds
-- Returns the fencing token (integer > 0), or 0 while another client holds the lock.
local lock, counter = KEYS[1], KEYS[2]
local token, lease_ms = ARGV[1], ARGV[2]
if redis.call('SETNX', lock, token) == 0 then
  return 0
end
redis.call('EXPIRE', lock, lease_ms / 1000)
return redis.call('INCR', counter)
]],
  },

  -- The twin of G8: SET with NX and PX writes the lock with its end, or nothing.
  twin = {
    title   = "nothing is written before all that can fail",
    expect  = { script_health = "holds", strict_mutual_exclusion = "holds", no_deadlock = false, lease_set = false },
    must_see = { "contention" },
    patch   = {},
  },
}
