-- A writer reads within its write lock. When it gave the read hold back no reader was left, and the script deleted the
-- whole hash, its write hold with it: the next writer came in beside it.
local redisson = require "redisson.read_write"

return {
  title   = "R12: a nested read unlock deletes the write lock",
  exhibit = { bug = "#891", library = "Redisson", versions = "3.3.2 to 3.4.2",
              what = "the unlock of a nested read lock deletes the write lock" },
  clients = { "A", "B" },
  program = function(me)
    local write, read = redisson.write(me, "order:42"), redisson.read(me, "order:42")
    write:acquire()
    read:acquire()
    me:work(10)
    read:release()
    me:work(100)
    write:release()
  end,
  expect  = {
    mutual_exclusion = "violated",
    -- The count of the write lock is gone, and no client was told.
    reentrancy = "violated",
    matches_spec = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS, in any version.
    script_health = "violated",
  },
  must_see = { "grant", "release" },
  patch   = {
    ["redisson/read_write/release_read.lua"] = [[
@@
   end
-  if mode == 'write' then
-    redis.call('set', latch, 0, 'px', latch_ms)
-    return 0
-  end
 end
]],
  },

  -- The twin of R12: since 3.4.3 a hash whose mode is write stays when its last reader goes.
  twin = {
    title   = "R12 mended: the write lock outlives its reader",
    expect  = {
      mutual_exclusion = "holds",
      reentrancy = "holds",
      -- The readers' timeout keys are not among the scripts' KEYS.
      script_health = "violated",
      matches_spec = false,
    },
    must_see = { "grant", "release", "wait" },
    patch   = {},
  },
}
