-- stock.lua: two workers share the stock room's lock; in the second case one of them stops for longer than its lease.
local generic = require "generic"

local stock = generic.lock {
  acquire = "acquire.lua", release = "release.lua", granted = 1, holder = "string value",
  keys = { acquire = { "$lock" }, release = { "$lock", "$channel" } },
  args = { acquire = { "$token", "$lease_ms" }, release = { "$token" } },
  wait = "sleep", retry_ms = 250, lease_ms = 1000,
}

return {
  title = "the stock room's lock",
  clients = { "A", "B" },
  program = function(me)
    local lock = stock.lock(me, "stock:7")
    if lock:acquire() then
      me:work(10)
      lock:release()
    end
  end,
  cases = {
    plain = {},
    pause = { faults = { pause = 1 }, expect = { strict_mutual_exclusion = "violated" } },
  },
}
