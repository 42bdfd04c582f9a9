-- A permit's end is computed when the client asks for it, not when Redis gives it. A request that comes to Redis late,
-- and is answered in time, gives a permit that has run out already, or is about to: the next client that asks takes it,
-- while its owner believes in a whole lease. No clock is wrong, and no client failed.
--
-- How likely: a request has to take as long as the lease and still be waited for, three seconds by default; so every
-- lease of a second or two is in danger when a server stalls (a slow command, a snapshot's fork, a swapping machine),
-- and all permits that were asked for during the stall at once. The mend is that of permits_fast_clock: the server
-- adds the lease to its own clock (the twin).
-- Checked against redisson 4.7.0 by recordings of its script (permits.acquire) and by reading
-- RedissonPermitExpirableSemaphore.tryAcquireAsync, which adds the lease to its own clock.
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
    -- A permit that has run out comes back when a client asks for one or gives one back, and not before.
    no_leak = "violated",
  },
  must_see = { "late_request" },

  -- The same with our mend: a lease that begins when Redis gives the permit.
  twin = {
    title   = "a permit's lease begins when it is granted",
    expect  = {
      mutual_exclusion = "holds", strict_mutual_exclusion = "holds",
      -- A permit that has run out comes back when a client asks for one or gives one back, and not before.
      no_leak = "violated",
    },
    patch   = {
      ["redisson/permits/acquire.lua"] = [[
@@
-local over = redis.call('zrangebyscore', out, 0, now_ms, 'limit', 0, wanted)
+local time = redis.call('time')
+local server_ms = time[1] * 1000 + math.floor(time[2] / 1000)
+local ahead_ms = now_ms - server_ms
+if until_ms ~= never then
+  until_ms = string.format('%.0f', until_ms - ahead_ms)
+end
+local over = redis.call('zrangebyscore', out, 0, server_ms, 'limit', 0, wanted)
@@
-  return ':' .. next_over[2]
+  return ':' .. string.format('%.0f', next_over[2] + ahead_ms)
]],
      ["redisson/permits/release.lua"] = [[
@@
-if tonumber(until_ms) <= tonumber(now_ms) then  -- locksim: allow LS010 ZREM took it out: it had a score
+local time = redis.call('time')
+if tonumber(until_ms) <= time[1] * 1000 + math.floor(time[2] / 1000) then
]],
    },
  },
}
