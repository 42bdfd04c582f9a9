-- A holder is paused after its last look at the lock; its lease ends, the next holder works and leaves, and then the
-- first writes what it had computed from the old state. No lock with a lease can prevent it: only the resource can, if
-- it is told which client is the later one.
local fenced = require "basic.fenced"

return {
  title   = "a lease that ends during a pause",
  exhibit = { bug = "G3", library = "any lock with a lease", what = "a late write is taken for a holder's" },
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = fenced.lock(me, "order:42", { lease_ms = 1000, retry_ms = 500 })
    if lock:acquire() then
      me:work(200)
      me:use("the account", lock.fence)
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A" } },
  expect  = {
    -- The account has B's write, and takes A's.
    fencing = "violated",
    strict_mutual_exclusion = "violated",
  },
  must_see = { "pause", "expiry" },
  patch   = {
    ["basic/fenced.lua"] = [[
-- fenced.lua: without tokens.
return require "basic.set_nx"
]],
  },

  -- The twin of G3: each grant has a greater number than the one before, and the account refuses a smaller one than it
  -- has seen. The two holders still believe in their lock at once; it no longer does harm. Without such numbers there
  -- is no twin.
  twin = {
    title   = "fencing tokens",
    expect  = { fencing = "holds", strict_mutual_exclusion = "violated" },
    patch   = {},
  },
}
