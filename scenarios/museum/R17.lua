-- Readers hold the lock for longer than 30 s, kept by the watchdog, which renewed the hash and forgot the key of each
-- hold. So the first reader to unlock found no other by those keys and deleted the hash: a writer comes in beside the
-- other reader.
local redisson = require "redisson.read_write"

return {
  title   = "R17: the watchdog forgets the keys of read holds",
  exhibit = { bug = "#1604", library = "Redisson", versions = "up to 3.8.0",
              what = "renewed read holds lose their keys, and the first unlock frees all" },
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = function(me)
    local lock = redisson[me.client == "C" and "write" or "read"](me, "order:42")
    lock:acquire()
    me:work(me.client == "A" and 35000 or me.client == "B" and 40000 or 100)
    lock:release()
  end,
  expect  = {
    mutual_exclusion = "violated",
    -- One reader's unlock takes the other's hold away.
    owner_only = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS, in any version.
    script_health = "violated",
  },
  must_see = { "renewal", "wait" },
  patch   = {
    ["redisson/read_write/renew_read.lua"] = [[
@@
 for i = 1, #KEYS, 2 do
-  local lock, prefix = KEYS[i], KEYS[i + 1]
+  local lock = KEYS[i]
   local alive = 0
@@
     local reader = ARGV[reader_at]
-    local holds = redis.call('hget', lock, reader)
-    if holds ~= false then
+    if redis.call('hexists', lock, reader) == 1 then
       alive = 1
-      for hold = tonumber(holds), 1, -1 do
-        -- locksim: allow LS006 prefix has the lock's {tag}
-        redis.call('pexpire', prefix .. ':' .. reader .. ':rwlock_timeout:' .. hold, lease_ms)
-      end
     end
]],
  },

  -- The twin of R17: after 3.8.0 the watchdog renews the keys of read holds, too.
  twin = {
    title   = "R17 mended: read holds are renewed",
    expect  = {
      mutual_exclusion = "holds",
      owner_only = "holds",
      -- The readers' timeout keys are not among the scripts' KEYS.
      script_health = "violated",
    },
    patch   = {},
  },
}
