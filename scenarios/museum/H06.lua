-- Two threads share one spin lock object. One holds the lock twice over, with a long lease; the other tries for it
-- with a short one and fails, and leaves that lease in the object all the same. The first one's inner unlock sets the
-- key to it, and it loses the lock while it is promised to it. Open to this day. (Times are a tenth of what they
-- might be.)
-- Checked against redisson 4.7.0 by reading RedissonSpinLock.tryLockInnerAsync (the field is set before the attempt),
-- and recordings of its script (spin.release).
local redisson = require "redisson.spin"

local options = { back_off = function() return 64 end }

local function twice(me, lock)
  lock:acquire { lease_ms = 6000 }
  lock:acquire { lease_ms = 6000 }
  me:work(10)
  lock:release()
  me:work(500)
  lock:release()
end

local function another(me)
  local lock = redisson.lock(me, "order:42", options)
  if lock:try_acquire(600, 6000) then
    me:work(10)
    lock:release()
  end
end

return {
  title   = "H06: a failed attempt leaves its lease behind",
  exhibit = { bug = "not reported", library = "Redisson", versions = "up to 4.7.0",
              what = "a spin lock's failed attempt shortens another thread's lease" },
  clients = { { "A", threads = 2 }, { "B", start_ms = 20 } },
  program = function(me)
    if me.client == "B" then
      another(me)
      return
    end
    local process = me.process
    process.lock = process.lock or redisson.lock(me, "order:42", options)
    local lock = process.lock:in_task(me)
    if me.thread == 1 then
      twice(me, lock)
    else
      me:sleep(5)
      if lock:try_acquire(0, 100) then
        lock:release()
      end
    end
  end,
  expect  = {
    mutual_exclusion = "violated",
    -- The key ends before what the outer grant was promised; which is how it comes about.
    lease_set = "violated",
  },
  must_see = { "re-entry", "contention" },

  -- The twin of H06: our mend: an attempt writes its lease into the object when it was granted, as the other locks do.
  twin = {
    title   = "H06 mended: a failed attempt leaves nothing behind",
    expect  = {
      mutual_exclusion = "holds",
      lease_set = "holds",
    },
    patch   = {
      ["redisson/client/spin.lua"] = [[
@@
-local lease = require "redisson.client.lease"
 local steps = require "redisson.client.steps"
@@
 local function attempt(lock, lease_ms)
-  if lease_ms then
-    lease.granted(lock.object, lease_ms)
-  end
   return steps.attempt(lock, lock.family.acquire, -1, lease_ms)
]],
    },
  },
}
