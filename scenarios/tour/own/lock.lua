-- A script of one's own, and no driver: a table says what each script gets and how its answer is read.
local generic = require "generic"

local mine = generic.lock {
  acquire  = "acquire.lua",
  release  = "release.lua",
  keys     = { "$lock" },
  args     = { acquire = { "$owner", "$lease_ms" }, release = { "$owner" } },
  granted  = 1,
  holder   = "string value",
  wait     = "sleep",
  retry_ms = 250,
  lease_ms = 1000,
}

return {
  title   = "a lock of one's own",
  clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { pause = 1 },
  expect  = { strict_mutual_exclusion = "violated" },      -- no lease can give this; but the rest must hold
}
