-- The lock's value was the instant at which its lease ends, and a release deleted any instant that is not before its
-- own. The next holder's instant never is: a holder that released late freed the next one's lock.
local redis_py = require "redis_py.lock"

return {
  title   = "redis-py: an instant tells whose lock it is",
  exhibit = { bug = "#415", library = "redis-py", versions = "until 2.9 (2013)",
              what = "release is decided by a stored time" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = redis_py.lock(me, "order:42", { lease_ms = 500, retry_ms = 250 })
    if lock:acquire() then
      me:work(me.client == "A" and 600 or 300)
      lock:release()
    end
  end,
  expect  = {
    -- B is in since A's lease ended; A's release deletes B's key, and C comes in.
    mutual_exclusion = "violated",
  },
  must_see = { "contention" },
  patch   = {
    ["redis_py/lock.lua"] = [[
-- lock.lua: as it was up to release 2.9.
return require "redis_py.lock_2_9"
]],
  },

  -- The twin of O2: since 2.10 the value is a token that no other holder has, and release compares it.
  twin = {
    title   = "redis-py: a token tells whose lock it is",
    expect  = { mutual_exclusion = "holds", owner_only = "holds" },
    must_see = { "contention", "expiry" },
    patch   = {},
  },
}
