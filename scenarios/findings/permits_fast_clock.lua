-- When a permit of Redisson's semaphore runs out is a time of its owner's clock, and whether it has run out is decided
-- by the clock of the next one who asks. A client whose clock is ahead by more than the lease takes permits that are
-- in use: the pool lets out more than it has, and their owners learn at release that they have lost them.
--
-- How likely: for leases of seconds as likely as a clock that is off by seconds, which a suspended machine or a broken
-- time service makes; it then happens at every turn, until somebody mends the clock. The mend: the server's clock for
-- both (TIME, in the twin); of the client's times only the difference counts. Checked against redisson 4.7.0 by
-- recordings of its script (permits.acquire).
local redisson = require "redisson.permits"

return {
  title   = "a fast clock takes a permit that is in use",
  clients = { "A", { "B", skew_ms = 5000 } },
  program = function(me)
    local pool = redisson.semaphore(me, "pool", { permits = 1, lease_ms = 1000 })
    pool:try_set_permits()
    local permit = pool:acquire()
    if permit then
      me:work(100)
      pool:release(permit)
    end
  end,
  expect  = { mutual_exclusion = "violated", strict_mutual_exclusion = "violated" },

  -- The same with our mend: scripts that go by the server's clock.
  twin = {
    title   = "a fast clock changes nothing",
    expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds" },
    patch   = {
      ["redisson/permits/acquire.lua"] = [[
@@
--- acquire.lua: take permits of the semaphore, each with a name and a time at which it comes back by itself; all that
--- are asked for or none.
+-- acquire.lua with our mend, the server's clock: take permits of the semaphore, each with a name and a time at which
+-- it comes back by itself; all that are asked for or none.
 -- KEYS  1 semaphore (string: permits to be had), 2 permits that are out (sorted set: name -> when it runs out), 3
@@
 -- ARGV  1 permits, 2 when they run out, 3 now, 4 the time that never comes, 5 publish command, 6... their names
--- Returns "OK" when they are ours; otherwise ":" and when the next one runs out, or nil if none does.
+-- Returns "OK" when they are ours; otherwise ":" and when the next one runs out by the client's clock, or nil if none
+-- does.
 local semaphore, out, channel = KEYS[1], KEYS[2], KEYS[3]
@@

--- locksim: allow LS019 as Redisson has it
-local over = redis.call('zrangebyscore', out, 0, now_ms, 'limit', 0, wanted)
+local time = redis.call('time')
+local server_ms = time[1] * 1000 + math.floor(time[2] / 1000)
+local ahead_ms = now_ms - server_ms
+if until_ms ~= never then
+  until_ms = string.format('%.0f', until_ms - ahead_ms)
+end
+local over = redis.call('zrangebyscore', out, 0, server_ms, 'limit', 0, wanted)
 if #over > 0 then
@@
   for i = 6, #ARGV do
-    -- locksim: allow LS008 it lives as long as the semaphore, for ever if that does
     redis.call('zadd', out, until_ms, ARGV[i])
@@
 if next_over[1] ~= nil and next_over[2] ~= never then
-  return ':' .. next_over[2]
+  return ':' .. string.format('%.0f', next_over[2] + ahead_ms)
 end
]],
      ["redisson/permits/release.lua"] = [[
-- release.lua with our mend, the server's clock: give one permit back, by its name.
-- KEYS  1 semaphore, 2 channel, 3 permits that are out      ARGV  1 name, 2 permits (1), 3 unused, 4 publish command
-- Returns 1, or 0 if there is no such permit, or it has run out.
local semaphore, channel, out = KEYS[1], KEYS[2], KEYS[3]
local permit, count, publish = ARGV[1], ARGV[2], ARGV[4]

local until_ms = redis.call('zscore', out, permit)
if redis.call('zrem', out, permit) ~= 1 then
  return 0
end
redis.call(publish, channel, redis.call('incrby', semaphore, count))
local time = redis.call('time')
if tonumber(until_ms) <= time[1] * 1000 + math.floor(time[2] / 1000) then
  return 0
end
return 1
]],
    },
  },
}
