-- The fenced lock's script answers two numbers: -1 and a token for "yours", else the milliseconds left and -1. Of a
-- key without a TTL PTTL says -1, too. While a held lock has no TTL, each refusal by lockAndGetToken() so reads like a
-- grant, with -1 in the place of the token. A resource that checks tokens refuses the second holder; a user that locks
-- only to exclude others is lost.
--
-- How likely: seldom. No call of the lock's own interface takes the TTL away: it needs clearExpire() by a cast or by
-- another object of the same name, PERSIST by hand, or a restore without TTLs. Where the watchdog keeps the lock its
-- next renewal sets a TTL again, within 10 s. The mend: never answer -1 for a refusal (the twin). Checked against
-- redisson 4.7.0 by recordings of its script (tests/recordings/scripts, fenced.acquire).
local fenced = require "redisson.fenced"

return {
  title   = "a fenced lock without a TTL is every client's",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = fenced.lock(me, "order:42", { lease_ms = 30000 })
    if lock:acquire() then
      if me.client == "A" then
        me:call("PERSIST", "order:42", { op = "clear_expire", lock = "order:42" })
      end
      me:work(100)
      lock:release()
    end
  end,
  expect  = {
    mutual_exclusion = "violated",
    matches_spec = "violated",
    -- That is what clearExpire() is for.
    lease_set = "violated",
  },
  must_see = { "grant" },

  -- The same with our mend.
  twin = {
    title   = "a fenced lock without a TTL is still one owner's",
    expect  = { mutual_exclusion = "holds", matches_spec = "holds", lease_set = "violated" },
    patch   = {
      ["redisson/fenced/acquire.lua"] = [[
@@
 end
-return { redis.call('pttl', lock), -1 }
+local left_ms = redis.call('pttl', lock)
+return { left_ms >= 0 and left_ms or tonumber(lease_ms), -1 }
]],
    },
  },
}
