-- touch() of node-redis-warlock sends its script three keys: the lock, and the lease and the id, which are no keys. In
-- a cluster they fall into other slots than the lock, and the script is refused: a lock there can be taken and given
-- back, and never prolonged.
--
-- How likely: at every touch() in a cluster; on a single server it does no harm. The mend: lease and id as arguments:
-- the twin. Checked against node-redis-warlock 1.0.2 by a trace of its client (01_uncontended: EVALSHA with keys lock,
-- lease, id) and by reading lib/warlock.js and lib/lua/parityRelock.lua.
local driver = require "node_redis_warlock.warlock"

return {
  title   = "node-redis-warlock: touch() sends values as keys",
  clients = { "A" },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 1000 })
    if lock:acquire() then
      me:work(500)
      lock:touch(1000)
      lock:release()
    end
  end,
  expect  = { script_health = "violated" },

  twin = {
    title   = "node-redis-warlock: touch() sends values as arguments",
    expect  = { script_health = "holds" },
    must_see = { "renewal" },
    patch   = {
      ["node_redis_warlock/warlock.lua"] = [[
@@
-  local reply, problem = evaluate.eval(self.me, touch, { key_of(self.name), lease_ms, self.id }, {}, options)
+  local reply, problem = evaluate.eval(self.me, touch, { key_of(self.name) }, { lease_ms, self.id }, options)
]],
      ["node_redis_warlock/warlock/touch.lua"] = [[
@@
-local lock, lease_ms, id = KEYS[1], KEYS[2], KEYS[3]
+local lock, lease_ms, id = KEYS[1], ARGV[1], ARGV[2]
]],
    },
  },
}
