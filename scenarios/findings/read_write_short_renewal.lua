-- A writer that the watchdog renews takes the read lock as well, with a lease of a minute. Each round of the watchdog
-- sets the hash to live for 30 s, whatever was promised to others in it; when the write lock is given back no watchdog
-- renews any more, and the read lock ends 20 s before its time: the next writer comes in while the first one reads.
-- (The readers' watchdog does the same to a reader with a long lease, when the one that it renews dies.)
--
-- How likely: it takes one lock used both with a lease of more than 30 s and without one; then it is certain, after 10
-- s. The mend: a renewal never makes a key's life shorter (the twin).
-- Checked against redisson 4.7.0 by recordings of its scripts (lock.renew for the writer, read_write.renew_read).
local redisson = require "redisson.read_write"

return {
  title   = "a renewal shortens a reader's lease",
  clients = { "A", { "B", start_ms = 20000 } },
  program = function(me)
    local write, read = redisson.write(me, "order:42"), redisson.read(me, "order:42", { lease_ms = 60000 })
    write:acquire()
    if me.client == "A" then
      read:acquire()
      me:work(15000)
      write:release()
      me:work(40000)
      read:release()
    else
      me:work(100)
      write:release()
    end
  end,
  expect  = {
    mutual_exclusion = "violated",
    lease_set = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "renewal", "expiry" },

  -- The same with our mend: a renewal prolongs, or leaves things as they are.
  twin = {
    title   = "a renewal never shortens",
    expect  = {
      mutual_exclusion = "holds",
      lease_set = "holds",
      -- The readers' timeout keys are not among the scripts' KEYS.
      script_health = "violated",
    },
    must_see = { "renewal", "wait" },
    patch   = {
      ["redisson/lock/renew.lua"] = [[
@@
   if redis.call('hexists', lock, ARGV[i + 1]) == 1 then
-    redis.call('pexpire', lock, lease_ms)
+    redis.call('pexpire', lock, math.max(redis.call('pttl', lock), lease_ms))  -- a reader may have been promised more
     renewed[i] = 1
]],
      ["redisson/read_write/renew_read.lua"] = [[
@@
   if alive == 1 then
-    redis.call('pexpire', lock, lease_ms)
+    redis.call('pexpire', lock, math.max(redis.call('pttl', lock), lease_ms))  -- a reader may have been promised more
   end
]],
    },
  },
}
