-- A permit's end is computed when the client asks for it, not when Redis gives it. A request that comes to Redis late,
-- and is answered in time, gives a permit that has run out already, or is about to: the next one who asks takes it,
-- while its owner believes in a whole lease. No clock is wrong, and nobody failed.
--
-- How likely: a request has to take as long as the lease and still be waited for, three seconds by default; so every
-- lease of a second or two is in danger when a server stalls (a slow command, a snapshot's fork, a swapping machine),
-- and all permits that were asked for during the stall at once. The mend is that of permits_fast_clock: the server
-- adds the lease to its own clock (the twin).
-- Checked against redisson 4.7.0 by recordings of its script (permits.acquire) and by reading its client.
local redisson = require "redisson.permits"

return {
  title   = "a permit that is over when it is granted",
  clients = { "A", { "B", start_ms = 1050 } },
  program = function(me)
    local pool = redisson.semaphore(me, "pool", { permits = 1, lease_ms = 1000 })
    pool:try_set_permits()
    local permit = pool:acquire()
    if permit then
      me:work(100)
      pool:release(permit)
    end
  end,
  faults  = { late_request = { 1, of = "A" } },
  expect  = {
    mutual_exclusion = "violated", strict_mutual_exclusion = "violated",
    -- A permit that has run out comes back when somebody asks for one or gives one back, and not before.
    no_leak = "violated",
  },
  must_see = { "late_request" },

  -- The same with our mend: a lease that begins when Redis gives the permit.
  twin = {
    title   = "a permit's lease begins when it is granted",
    expect  = {
      mutual_exclusion = "holds", strict_mutual_exclusion = "holds",
      -- A permit that has run out comes back when somebody asks for one or gives one back, and not before.
      no_leak = "violated",
    },
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
