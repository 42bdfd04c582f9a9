-- A stranger frees one side by force: whoever holds the other one keeps it.
local redisson = require "redisson.read_write"

return {
  title   = "redisson/read_write: one side is freed by force",
  clients = { "A", { "B", start_ms = 50 } },
  program = function(me)
    local lock = redisson[me:choose { "read", "write" }](me, "order:42")
    if me.client == "A" then
      lock:acquire()
      me:work(100)
      lock:release()                           -- nil, "not owner" when B was faster
    else
      lock:force_release()                     -- finds nothing when A is on the other side
    end
  end,
  expect  = {
    owner_only = "holds",                      -- by force is by definition allowed
    matches_spec = "holds",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "grant", "release" },
}
