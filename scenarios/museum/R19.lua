-- A reader dies, and another one reads on. Its watchdog renewed the keys of all holds in the hash, those of the dead,
-- too: when it unlocked, the dead was still there for a whole lease. With readers that follow each other a writer
-- never gets in.
local redisson = require "redisson.read_write"

return {
  title   = "R19: the living keep a dead reader's hold alive",
  exhibit = { bug = "#1458, PR #7098", library = "Redisson", versions = "before 4.4.0",
              what = "a dead reader's hold is renewed by the living" },
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10000 }, { "C", start_ms = 20000 } },
  program = function(me)
    local lock = redisson[me.client == "C" and "write" or "read"](me, "order:42")
    lock:acquire()
    me:work(me.client == "B" and 55000 or 100)
    lock:release()
  end,
  faults  = { crash = { 1, of = "A" } },
  expect  = {
    prompt = { "violated", idle_ms = 1000 },
    -- The readers' timeout keys are not among the scripts' KEYS, in any version.
    script_health = "violated",
  },
  must_see = { "crash", "renewal", "wait" },
  patch   = {
    ["redisson/read_write/renew_read.lua"] = [[
@@
   for reader_at = at + 1, at + ARGV[at] do
-    local reader = ARGV[reader_at]
-    local holds = redis.call('hget', lock, reader)
-    if holds ~= false then
-      alive = 1
-      for hold = tonumber(holds), 1, -1 do
-        -- locksim: allow LS006 prefix has the lock's {tag}
-        redis.call('pexpire', prefix .. ':' .. reader .. ':rwlock_timeout:' .. hold, lease_ms)
+    alive = math.max(alive, redis.call('hexists', lock, ARGV[reader_at]))
+  end
+  if alive == 1 then
+    for _, field in ipairs(redis.call('hkeys', lock)) do
+      for hold = tonumber(redis.call('hget', lock, field)) or 0, 1, -1 do
+        redis.call('pexpire', prefix .. ':' .. field .. ':rwlock_timeout:' .. hold, lease_ms)
       end
     end
-  end
-  if alive == 1 then
     redis.call('pexpire', lock, lease_ms)
]],
  },

  -- The twin of R19: since 4.4.0 a watchdog renews the holds of its own process only.
  twin = {
    title   = "R19 mended: each process renews its own holds",
    expect  = {
      prompt = { "holds", idle_ms = 1000 },
      -- The readers' timeout keys are not among the scripts' KEYS.
      script_health = "violated",
    },
    patch   = {},
  },
}
