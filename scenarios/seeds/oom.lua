-- A request finds the server out of memory: the first write of a script is refused, so that nothing was done; who asks
-- again is served. A release that only deletes needs no memory.
local counted = require "simple.counted"
local simple = require "simple.string"

local function once(driver)
  return function(me)
    local lock = driver.lock(me, "order:42", { lease_s = 2, retry_ms = 250 })
    while lock:acquire() ~= true do
      me:sleep(250)
    end
    me:work(100)
    lock:release()
  end
end

return {
  title    = "out of memory",
  clients  = { "A", "B" },
  program  = once(simple),
  faults   = { oom = 2 },
  expect   = { strict_mutual_exclusion = "holds", owner_only = "holds", no_deadlock = "holds" },
  must_see = { "oom", "contention" },
  cases    = {
    ["string"] = {},
    counted = { program = once(counted) },
    -- Only the release is struck: it deletes, and is not refused.
    release = {
      faults = { oom = { 1, op = "release" } },
      expect = { strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 250 } },
    },
  },
}
