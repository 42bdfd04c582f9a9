-- The unlock of Redisson's faster multi-lock asks whether the caller's own hold has run out, and never whose the value
-- is by now. A hold counts through the millisecond in which it ends; the next owner may take the value in that same
-- millisecond. If the old one unlocks then, the value and the new hold go, and the new owner's unlock is told that it
-- does not own the lock. Where clocks differ, it is not one millisecond but as many as they are apart.
--
-- How likely: as likely as work that ends with its lease; by so much more where the next owner's clock is ahead. The
-- mend: compare the owner (the twin). Checked against redisson 4.7.0 by recordings of its script
-- (tests/recordings/scripts, faster_multi.release).
local redisson = require "redisson.faster_multi"

return {
  title   = "an unlock that takes another's hold",
  clients = { "A", { "B", start_ms = 10 }, "C" },
  program = function(me)
    -- C has another value of the group, so that the group lives on.
    local of_c = me.client == "C"
    local accounts = redisson.lock(me, "accounts", { of_c and "2" or "1" }, { lease_ms = of_c and 10000 or 1000 })
    if accounts:acquire() then
      me:work(me.client == "B" and 500 or 1000)
      accounts:release()
    end
  end,
  expect  = {
    owner_only = "violated",
    -- A's work ends with its lease, and B may begin in the same millisecond; what B was promised, A's unlock takes.
    strict_mutual_exclusion = "violated",
    -- A hold counts through the millisecond in which it ends; by the specification it is over then.
    matches_spec = "violated",
    -- The TTL is that of the whole group.
    lease_set = "violated",
  },
  must_see = { "wait" },

  -- The same with our mend.
  twin = {
    title   = "an unlock that leaves another's hold alone",
    expect  = { owner_only = "holds", strict_mutual_exclusion = "violated", matches_spec = "violated",
                lease_set = "violated" },
    patch   = {
      ["redisson/faster_multi/release.lua"] = [[
@@
   local until_ms = redis.call('hget', group, hold .. ':expire_time')
-  if until_ms == false or tonumber(until_ms) < now_ms then
+  -- our mend: the owner
+  if redis.call('hget', group, ARGV[i]) ~= owner or until_ms == false or tonumber(until_ms) < now_ms then
     lost = true
]],
    },
  },
}
