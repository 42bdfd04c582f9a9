-- Requests of Redisson's faster multi-lock that get no answer are sent again, its acquire too, although each run of
-- that script counts one more hold. An acquire whose answer is lost is executed twice; its caller knows of one hold
-- and unlocks once. The values stay taken until their time is over, 30 s later, while other clients wait for them.
--
-- How likely: each answer to an acquire that takes longer than 3 s. The other locks of the library send an acquire
-- once and let the caller fail. The mend: a request that has set this very time before counts no more (the twin).
-- Checked against redisson 4.7.0 by a trace of the real client (tests/recordings/clients, fast_07).
local redisson = require "redisson.faster_multi"

return {
  title   = "an acquire that is sent again counts twice",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local accounts = redisson.lock(me, "accounts", { "1", "2" })
    if accounts:acquire() then
      me:work(100)
      accounts:release()
    end
  end,
  faults  = { lose_reply = { 1, of = "A" } },
  expect  = {
    prompt = { "violated", idle_ms = 10000 },
    -- B may take the values in the last millisecond of the group's life (faster_multi_last_millisecond).
    lease_set = "violated",
  },
  must_see = { "lose_reply" },

  -- The same with our mend.
  twin = {
    title   = "an acquire that is sent again counts once",
    expect  = { prompt = { "holds", idle_ms = 10000 }, lease_set = false },
    patch   = {
      ["redisson/faster_multi/acquire.lua"] = [[
@@
   end
-  redis.call('hincrby', group, hold .. ':lock_count', 1)
+  -- Our mend: what has set this very time before is the same request. (One that enters again in the same millisecond
+  -- would need a number.)
+  if ours_ms == false or tonumber(ours_ms) ~= now_ms + lease_ms then
+    redis.call('hincrby', group, hold .. ':lock_count', 1)
+  end
 end
]],
    },
  },
}
