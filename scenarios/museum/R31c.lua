-- From 3.52.0 to 4.2 the latch of an answered unlock was looked for under the client's id instead of the request's, and so was never
-- deleted. Each unlock leaves a key behind for twenty seconds.
local redisson = require "redisson.lock"

local function latches(view)
  local count = 0
  for _, key in ipairs(view.keys) do
    if key:find("redisson_unlock_latch", 1, true) == 1 then
      count = count + 1
    end
  end
  return count
end

return {
  title    = "latches that nobody deletes",
  exhibit  = { bug = "255aa9748", library = "Redisson", versions = "3.52.0 to 4.2", what = "each unlock leaves a latch key behind",
               twin = "R31c_mended.lua" },
  clients  = { "A" },
  program  = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 30000 })
    for _ = 1, 2 do
      lock:acquire()
      lock:release()
      me:work(100)                               -- time enough for the latch to go
    end
  end,
  -- The latch of the unlock before is gone when the next one sets its own.
  always   = function(view)
    return latches(view) < 2, "two latches at once"
  end,
  expect   = { always = "violated" },
}
