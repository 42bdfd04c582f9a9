-- The script that renews read locks used one name for two loop variables. With several locks in one round it took the
-- first one's prefix for all: the second one's holds lost their keys after 30 s, and the next reader's unlock freed
-- the lock.
local redisson = require "redisson.read_write"

local function use(me, side, name, work_ms)
  local lock = redisson[side](me, name)
  lock:acquire()
  me:work(work_ms)
  lock:release()
end

return {
  title   = "R22: two loop variables of one name",
  exhibit = { bug = "725d181c8", library = "Redisson", versions = "3.44.0 to 3.52.0",
              what = "of several read locks only the first one's holds are renewed" },
  clients = { "A", { "B", start_ms = 31000 }, { "C", start_ms = 31000 } },
  program = function(me)
    if me.client == "A" then
      local first = redisson.read(me, "order:41")
      first:acquire()
      use(me, "read", "order:42", 35000)
      first:release()
    else
      use(me, me.client == "B" and "read" or "write", "order:42", 10)
    end
  end,
  expect  = {
    mutual_exclusion = "violated",
    -- B's unlock takes A's hold away.
    owner_only = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS, in any version.
    script_health = "violated",
  },
  must_see = { "renewal", "expiry" },
  patch   = {
    ["redisson/read_write/renew_read.lua"] = [[
@@
 for i = 1, #KEYS, 2 do
-  local lock, prefix = KEYS[i], KEYS[i + 1]
+  local lock = KEYS[i]
   local alive = 0
@@
       alive = 1
-      for hold = tonumber(holds), 1, -1 do
-        -- locksim: allow LS006 prefix has the lock's {tag}
-        redis.call('pexpire', prefix .. ':' .. reader .. ':rwlock_timeout:' .. hold, lease_ms)
+      for i = tonumber(holds), 1, -1 do        -- not the lock's i any more, so that another's prefix is taken
+        redis.call('pexpire', KEYS[i + 1] .. ':' .. reader .. ':rwlock_timeout:' .. i, lease_ms)
       end
]],
  },

  -- The twin of R22: since 4.0.0 the loops have variables of their own.
  twin = {
    title   = "R22 mended: every hold is renewed",
    expect  = {
      mutual_exclusion = "holds",
      owner_only = "holds",
      -- The readers' timeout keys are not among the scripts' KEYS.
      script_health = "violated",
    },
    must_see = { "renewal", "wait" },
    patch   = {},
  },
}
