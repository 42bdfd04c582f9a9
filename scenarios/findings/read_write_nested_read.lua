-- A writer reads within its write lock, as it may, and gives the read hold back. The client tells both of its
-- watchdogs of that, the readers' and the one of plain and write locks, which knows the same thread by the same lock's
-- name: it takes the read for the write, and renews nothing from then on. After 30 s the next writer comes in while
-- the first one works.
--
-- How likely: certain, wherever a write lock without a lease is held for more than 30 s after a nested read; most are
-- not held so long. The mend: a read unlock is told to the readers' watchdog only (the twin).
-- Checked against redisson 4.7.0 by reading RedissonReadLock.cancelExpirationRenewal, which also calls that of
-- RedissonBaseLock (the plain locks' in LockRenewalScheduler).
local redisson = require "redisson.read_write"

return {
  title   = "a nested read unlock ends the renewal of the write lock",
  clients = { "A", { "B", start_ms = 100 } },
  program = function(me)
    local write, read = redisson.write(me, "order:42"), redisson.read(me, "order:42")
    write:acquire()
    read:acquire()
    me:work(10)
    read:release()
    me:work(40000)
    write:release()
  end,
  expect  = {
    mutual_exclusion = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "expiry", "release" },

  -- The same with our mend: the write lock is renewed until it is given back.
  twin = {
    title   = "a nested read unlock is nothing to the write lock's watchdog",
    expect  = {
      mutual_exclusion = "holds",
      -- The readers' timeout keys are not among the scripts' KEYS.
      script_health = "violated",
    },
    must_see = { "renewal", "release", "wait" },
    patch   = {
      ["redisson/read_watchdog.lua"] = [[
@@
 -- read_watchdog.lua: renews read locks: all of this process's readers of a lock at once, each hold by its own
 -- timeout key.
 local names = require "redisson.names"
 local renewal = require "redisson.renewal"
-local watchdog = require "redisson.watchdog"

@@

-local readers = renewal.of(kind)
-
-local M = { add = readers.add }
-
--- The release of a read lock is also told to the watchdog of plain locks, which may know the same thread as a writer.
-function M.cancel(me, name, owner)
-  watchdog.cancel(me, name, owner)
-  readers.cancel(me, name, owner)
-end
-
-return M
+return renewal.of(kind)
]],
    },
  },
}
