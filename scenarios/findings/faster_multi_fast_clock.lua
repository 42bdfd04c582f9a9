-- When a value of Redisson's faster multi-lock runs out is a time of its owner's clock, and whether it has run out is
-- decided by the clock of the next client that asks. A client whose clock is ahead by more than the lease, which a
-- watchdog keeps below 30 s, takes values from owners who renew them all the time; and what it takes is safe from all
-- the others, for as long as its clock is ahead.
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
-local lease_ms, now_ms, owner = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
+local lease_ms, owner = tonumber(ARGV[1]), ARGV[3]
+local time = redis.call('time')
+local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
]],
      ["redisson/faster_multi/release.lua"] = [[
@@
-local now_ms = tonumber(ARGV[6])
+local time = redis.call('time')
+local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
]],
      ["redisson/faster_multi/renew.lua"] = [[
@@
-local lease_ms, now_ms, owner = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
+local lease_ms, owner = tonumber(ARGV[1]), ARGV[3]
+local time = redis.call('time')
+local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
]],
      ["redisson/faster_multi/try_once.lua"] = [[
@@
-local now_ms, lease_ms, owner = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
+local lease_ms, owner = tonumber(ARGV[2]), ARGV[3]
+local time = redis.call('time')
+local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
]],
    },
  },
}
