-- When a permit of Redisson's semaphore runs out is a time of its owner's clock, and whether it has run out is decided
-- by the clock of the next to ask. A client whose clock is ahead by more than the lease takes permits that are
-- in use: the pool lets out more than it has, and their owners learn at release that they have lost them.
--
-- How likely: for leases of seconds as likely as a clock that is off by seconds, which a suspended machine or a broken
-- time service makes; it then happens at every turn, until the clock is mended. The mend: the server's clock for
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
