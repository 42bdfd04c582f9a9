-- One client reads with a long lease, another with a short one, and the hash lived as long as the last one asked. When
-- the short lease ends every hold ends with it: a writer comes in beside the first reader.
local redisson = require "redisson.read_write"

local function read(me, lease_ms, work_ms)
  local lock = redisson.read(me, "order:42", { lease_ms = lease_ms })
  lock:acquire()
  me:work(work_ms)
  lock:release()
end

return {
  title   = "R16: a reader with a short lease shortens every reader's",
  exhibit = { bug = "#2144", library = "Redisson", versions = "up to 3.11.0",
              what = "a reader with a short lease shortens every reader's" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    if me.client == "A" then
      read(me, 60000, 5000)
    elseif me.client == "B" then
      read(me, 1000, 1500)                     -- longer than its lease: no other reader should suffer
    else
      local lock = redisson.write(me, "order:42", { lease_ms = 60000 })
      lock:acquire()
      me:work(100)
      lock:release()
    end
  end,
  expect  = {
    mutual_exclusion = "violated",
    -- B's acquire takes from A what A was promised.
    lease_set = "violated",
    owner_only = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS, in any version.
    script_health = "violated",
  },
  must_see = { "expiry", "wait" },
  patch   = {
    ["redisson/read_write/acquire_read.lua"] = [[
@@
   local hold = timeouts .. ':' .. redis.call('hincrby', lock, reader, 1)
-  redis.call('set', hold, 1)  -- locksim: allow LS006 KEYS[2] is their prefix, with the lock's {tag}
-  redis.call('pexpire', hold, lease_ms)  -- locksim: allow LS006 the same key
-  -- The hash must outlive the longest lease of all holders.
-  redis.call('pexpire', lock, math.max(redis.call('pttl', lock), lease_ms))
+  redis.call('set', hold, 1)
+  redis.call('pexpire', hold, lease_ms)
+  redis.call('pexpire', lock, lease_ms)
   return nil
]],
  },

  -- The twin of R16: after 3.11.0 the hash lives as long as the longest lease.
  twin = {
    title   = "R16 mended: the longest lease counts",
    expect  = {
      mutual_exclusion = "holds",
      lease_set = "holds",
      owner_only = "holds",
      -- The readers' timeout keys are not among the scripts' KEYS.
      script_health = "violated",
    },
    patch   = {},
  },
}
