-- Up to 2.10, redis-py took the lock with SETNX and gave it an end with PEXPIRE, two requests. A client that died in
-- between left a key without a TTL, and no client ever got the lock again.
local redis_py = require "redis_py.lock"

return {
  title   = "redis-py: SETNX, then PEXPIRE",
  exhibit = { bug = "#554 #818", library = "redis-py", versions = "until 2.10.6",
              what = "the lock and its TTL are two requests" },
  clients = { "A", "B" },
  program = function(me)
    local lock = redis_py.lock(me, "order:42", { lease_ms = 1000, retry_ms = 500 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { crash = 1 },
  expect  = {
    -- B asks every half second, for ever.
    no_deadlock = "violated",
    prompt = { "violated", idle_ms = 1501 },
    no_leak = "violated",
    -- Between the two requests there is always a lock without an end.
    lease_set = "violated",
  },
  must_see = { "crash", "contention" },
  patch   = {
    ["redis_py/lock.lua"] = [[
-- lock.lua: as it was up to release 2.10.
return require "redis_py.lock_2_10"
]],
  },

  -- The twin of O1: since 3.0 one SET with NX and PX does both.
  twin = {
    title   = "redis-py: SET NX PX",
    expect  = {
      strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 1501 }, no_deadlock = false,
      no_leak = false, lease_set = false,
    },
    patch   = {},
  },
}
