-- Two clients come at any moment and work for any time: whatever one does may fall anywhere in the other.
local redisson = require "redisson.read_write"

return {
  title   = "redisson/read_write: work of any length",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson[me.client == "A" and "write" or "read"](me, "order:42")
    if lock:acquire() then
      me:work()
      lock:release()
    end
  end,
  expect  = {
    strict_mutual_exclusion = "holds",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "contention" },
}
