-- A value of Redisson's faster multi-lock keeps its owner's count of holds in the group's hash, and a hold that runs
-- out leaves it there, for as long as any value of the group is in use: the late unlock answers "not yours" without a
-- touch. When the same owner takes the value again, its new hold is the second by that count. One unlock leaves one,
-- the value stays taken until its lease is over, and the next one waits beside a lock that no client believes to hold.
-- So it goes on with each hold that follows while the group lives.
--
-- How likely: as likely as work that outlasts its lease, which is what a lease is for, in a group that is never idle.
-- The mend: a hold of a value that the owner has not, or whose time is over, counts from one (the twin).
-- Checked against redisson 4.7.0 by recordings of its scripts (faster_multi.acquire, faster_multi.release).
local redisson = require "redisson.faster_multi"

local function once(me, account, lease_ms, work_ms)
  local lock = redisson.lock(me, "accounts", { account }, { lease_ms = lease_ms })
  if lock:acquire() then
    me:work(work_ms)
    lock:release()
  end
end

return {
  title   = "a hold that ran out counts in the next one",
  clients = { "A", { "B", start_ms = 1650 }, "C" },
  program = function(me)
    if me.client == "A" then
      once(me, "1", 1000, 1500)
      once(me, "1", 1000, 100)
    elseif me.client == "B" then
      once(me, "1", 1000, 100)
    else
      once(me, "3", 10000, 5000)
    end
  end,
  expect  = {
    -- From A's second unlock on, at 1600 ms, until that lease is over.
    prompt = { "violated", idle_ms = 500 },
    -- The second hold begins as two.
    reentrancy = "violated",
    matches_spec = "violated",
    -- The key's TTL is that of the whole group: what C asked for.
    lease_set = "violated",
  },

  -- The same with our mend: holds are counted from one where the last hold has ended.
  twin = {
    title   = "a hold that ran out counts no more",
    expect  = {
      prompt = { "holds", idle_ms = 500 }, lease_set = "violated", reentrancy = false, matches_spec = false,
    },
    patch   = {
      ["redisson/faster_multi/acquire.lua"] = [[
@@
   local hold = ARGV[i] .. ':' .. owner
+  local ours_ms = redis.call('hget', group, hold .. ':expire_time')
+  if redis.call('hget', group, ARGV[i]) ~= owner or ours_ms == false or tonumber(ours_ms) < now_ms then
+    redis.call('hdel', group, hold .. ':lock_count')           -- our mend: of a hold that is over nothing counts
+  end
   redis.call('hset', group, ARGV[i], owner)  -- locksim: allow LS008 a group without a TTL stays without one
-  local ours_ms = redis.call('hget', group, hold .. ':expire_time')
   if ours_ms == false or tonumber(ours_ms) < now_ms + lease_ms then
]],
    },
  },
}
