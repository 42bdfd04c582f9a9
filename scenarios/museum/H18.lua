-- A lease ends before the unlock. The script finds no lock, says so, and notes "released" in the unlock's latch all
-- the same. When that answer is lost, the client sends the unlock again, and is told that it counted: no client learns
-- that the lock was lost. Open to this day.
-- Checked against redisson 4.7.0 by recordings of its scripts (read_write.release_read, read_write.release_write).
local redisson = require "redisson.read_write"

return {
  title   = "H18: an unlock of nothing succeeds the second time",
  exhibit = { bug = "not reported", library = "Redisson", versions = "up to 4.7.0",
              what = "an unlock of a vanished lock, sent again, reports success" },
  replicas = 1,                                -- with a single server an unlock is not sent again
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 2000 } },
  program = function(me)
    local side = me.client == "A" and "write" or "read"
    local lock = redisson[side](me, "order:42", { lease_ms = 1000, replicas = 1 })
    if lock:acquire() then
      me:work(1500)
      lock:release()
    end
  end,
  faults  = { lose_reply = 1 },
  expect  = {
    matches_spec = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS, in any version.
    script_health = "violated",
  },
  must_see = { "lose_reply", "resend", "expiry" },

  -- The twin of H18: our mend: an unlock that finds nothing leaves no latch, so that sent again it finds nothing
  -- again.
  twin = {
    title   = "H18 mended: an unlock of nothing says so every time",
    expect  = {
      matches_spec = "holds",
      -- The readers' timeout keys are not among the scripts' KEYS.
      script_health = "violated",
    },
    patch   = {
      ["redisson/read_write/release_read.lua"] = [[
@@
   redis.call(publish, channel, message)
-  redis.call('set', latch, 1, 'px', latch_ms)
-  return nil
+  return nil                                   -- nothing was decided that a second run would have to be told
 end
]],
      ["redisson/read_write/release_write.lua"] = [[
@@
   redis.call(publish, channel, message)
-  redis.call('set', latch, 1, 'px', latch_ms)
-  return nil
+  return nil                                   -- nothing was decided that a second run would have to be told
 end
]],
    },
  },
}
