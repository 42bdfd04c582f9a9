-- The group's hash holds the time at which each value of Redisson's faster multi-lock runs out, and has a TTL of its
-- own, which ends with the longest of them. A refused client waits for that very millisecond and asks again. Its
-- clock says that the time is over; the hash lives through its last millisecond; it is written into it, and it is
-- given no new TTL, because 0 ms left is not more than 0. A millisecond later the hash is gone, its hold with it, and
-- the next one takes the same values. Both work.
--
-- How likely: each waiter whose holder's lease runs out (a crash, work that outlasts its lease) asks in that
-- millisecond or soon after it; it meets it where clocks agree and the way to the server takes less than a
-- millisecond. The mend: a TTL for 0 ms, too (the twin). Checked against redisson 4.7.0 by recordings of its script
-- (tests/recordings/scripts, faster_multi.acquire and faster_multi.try_once: PTTL 0 stays).
local redisson = require "redisson.faster_multi"

return {
  title   = "values that are taken in the group's last millisecond",
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 2000 } },
  program = function(me)
    local accounts = redisson.lock(me, "accounts", { "1", "2" })
    if me.client == "A" then
      accounts:acquire { lease_ms = 1000 }     -- and the lease ends by itself
    elseif accounts:acquire() then
      me:work(5000)
      accounts:release()
    end
  end,
  expect  = {
    mutual_exclusion = "violated", strict_mutual_exclusion = "violated",
    -- B was promised more than the millisecond that it gets.
    lease_set = "violated",
  },
  must_see = { "wait" },

  -- The same with our mend.
  twin = {
    title   = "values that are taken in the group's last millisecond stay taken",
    expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds", lease_set = false },
    patch   = {
      ["redisson/faster_multi/acquire.lua"] = [[
@@
 end
 -- A group without a TTL stays without one.
 local ttl_ms = existed and redis.call('pttl', group) or 0
-if not existed or (ttl_ms > 0 and ttl_ms < lease_ms) then
+if not existed or (ttl_ms >= 0 and ttl_ms < lease_ms) then
   redis.call('pexpire', group, lease_ms)
]],
    },
  },
}
