-- A writer with a long lease reads within it, with short leases. When it gives one of two read holds back, the hash is
-- set to the longest lease of those who read, and the writer's own lease is forgotten: it loses the lock while it is
-- promised to it. Open to this day.
-- Checked against redisson 4.7.0 by recordings of its script (read_write.release_read).
local redisson = require "redisson.read_write"

return {
  title   = "H02: a read unlock shortens a write lock",
  exhibit = { bug = "not reported", library = "Redisson", versions = "up to 4.7.0",
              what = "a nested read unlock shortens the write lease" },
  clients = { "A", "B" },
  program = function(me)
    local write = redisson.write(me, "order:42", { lease_ms = 60000 })
    local read = redisson.read(me, "order:42", { lease_ms = 5000 })
    write:acquire()
    read:acquire()
    read:acquire()
    read:release()
    me:work(6000)
    read:release()
    write:release()
  end,
  expect  = {
    mutual_exclusion = "violated",
    lease_set = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS, in any version.
    script_health = "violated",
  },
  must_see = { "expiry", "release" },

  -- The twin of H02: our mend: while a thread writes, a read unlock leaves the hash's life alone.
  twin = {
    title   = "H02 mended: a read unlock leaves the writer's lease alone",
    expect  = {
      mutual_exclusion = "holds",
      lease_set = "holds",
      -- The readers' timeout keys are not among the scripts' KEYS.
      script_health = "violated",
    },
    must_see = { "release", "wait" },
    patch   = {
      ["redisson/read_write/release_read.lua"] = [[
@@
   end
-  if longest_ms > 0 then
-    redis.call('pexpire', lock, longest_ms)
+  if mode == 'write' then                      -- the writer's lease counts, not its readings'
     redis.call('set', latch, 0, 'px', latch_ms)
@@
   end
-  if mode == 'write' then
+  if longest_ms > 0 then
+    redis.call('pexpire', lock, longest_ms)
     redis.call('set', latch, 0, 'px', latch_ms)
]],
    },
  },
}
