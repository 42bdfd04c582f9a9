-- When a value of Redisson's faster multi-lock runs out is a time of its owner's clock, and whether it has run out is
-- decided by the clock of the next one who asks. A client whose clock is ahead by more than the lease, which a
-- watchdog keeps below 30 s, takes values from owners who renew them all the time; and what he takes is safe from all
-- the others, for as long as his clock is ahead.
--
-- How likely: 30 s are more than a time service lets happen, so this takes a machine without one, or one that woke
-- from a long sleep; with leases of a second or two it takes no more than everyday drift. The mend: the server's clock
-- (TIME, in the twin).
-- Checked against redisson 4.7.0 by recordings of its script (faster_multi.acquire).
local redisson = require "redisson.faster_multi"

return {
  title   = "a fast clock takes values that are in use",
  clients = { "A", { "B", skew_ms = 40000 } },
  program = function(me)
    local accounts = redisson.lock(me, "accounts", { "1", "2" })
    if accounts:acquire() then
      me:work(100)
      accounts:release()
    end
  end,
  expect  = {
    mutual_exclusion = "violated", strict_mutual_exclusion = "violated", owner_only = "violated",
    -- What another has would have to be refused.
    matches_spec = "violated",
  },

  -- The same with our mend: scripts that go by the server's clock.
  twin = {
    title   = "a fast clock takes no values",
    expect  = {
      mutual_exclusion = "holds", strict_mutual_exclusion = "holds", owner_only = "holds", matches_spec = false,
    },
    patch   = {
      ["redisson/faster_multi/acquire.lua"] = [[
@@
--- acquire.lua: take several named values of a group at once, or learn how long to wait for those of others.
+-- acquire.lua with our mend, the server's clock: take several named values of a group at once, or learn how long to
+-- wait for others'.
 -- KEYS  1 group (hash: value -> owner, value:owner:expire_time, value:owner:lock_count)
--- ARGV  1 lease in milliseconds, 2 now, 3 owner, 4... values
+-- ARGV  1 lease in milliseconds, 2 unused, 3 owner, 4... values
 -- Returns nil when all are ours; otherwise the milliseconds until the last of them runs out.
 local group = KEYS[1]
-local lease_ms, now_ms, owner = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
+local lease_ms, owner = tonumber(ARGV[1]), ARGV[3]
+local time = redis.call('time')
+local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

]],
      ["redisson/faster_multi/release.lua"] = [[
@@
--- release.lua: give back one hold of each value, and wake a waiter. Who owns a value is not looked at: the hold that
--- the caller once had, and which has not run out, is enough to take the value from whoever has it now.
+-- release.lua with our mend, the server's clock: give back one hold of each value, and wake a waiter.
 -- KEYS  1 group, 2 channel, 3 latch
--- ARGV  1 owner, 2 message, 3 lease in milliseconds, 4 publish command, 5 latch's life in milliseconds, 6 now, 7...
+-- ARGV  1 owner, 2 message, 3 lease in milliseconds, 4 publish command, 5 latch's life in milliseconds, 6 unused, 7...
 -- values
@@
 local owner, message, lease_ms, publish, latch_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
-local now_ms = tonumber(ARGV[6])
+local time = redis.call('time')
+local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

]],
      ["redisson/faster_multi/renew.lua"] = [[
@@
--- renew.lua: give values of a group a full lease again, one after the other, up to one that its owner does not hold
--- any more.
--- KEYS  1 group      ARGV  1 lease in milliseconds, 2 now, 3 owner, 4... values
+-- renew.lua with our mend, the server's clock: give values of a group a full lease again, up to one that its owner
+-- does not hold any more.
+-- KEYS  1 group      ARGV  1 lease in milliseconds, 2 unused, 3 owner, 4... values
 -- Returns 1 when all were renewed, else 0. A time that lies further ahead stays; an owner without one is a script
@@
 local group = KEYS[1]
-local lease_ms, now_ms, owner = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
+local lease_ms, owner = tonumber(ARGV[1]), ARGV[3]
+local time = redis.call('time')
+local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
 if redis.call('exists', group) == 0 then
]],
      ["redisson/faster_multi/try_once.lua"] = [[
@@
--- try_once.lua: take several named values of a group at once, if nobody else has one of them. The order of its
--- arguments is its own.
+-- try_once.lua with our mend, the server's clock: take several named values of a group at once, if nobody else has one
+-- of them.
 -- KEYS  1 group (hash: value -> owner, value:owner:expire_time, value:owner:lock_count)
--- ARGV  1 now, 2 lease in milliseconds, 3 owner, 4... values
+-- ARGV  1 unused, 2 lease in milliseconds, 3 owner, 4... values
 -- Returns 1 when all are ours, else 0. An owner without a time at which he runs out is a script error.
 local group = KEYS[1]
-local now_ms, lease_ms, owner = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
+local lease_ms, owner = tonumber(ARGV[2]), ARGV[3]
+local time = redis.call('time')
+local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

]],
    },
  },
}
