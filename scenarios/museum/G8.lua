-- A script that fails half-way has done what stands before the failure. Here the lock is written, and EXPIRE then refuses a lease of
-- one and a half seconds: the caller is told of an error, and the lock stays for ever.
local fenced = require "basic.fenced"

return {
  title   = "an error in a script takes nothing back",
  exhibit = { bug = "G8", library = "home-made", what = "a script writes the lock, then fails", twin = "G8_mended.lua" },
  clients = { "A", "B" },
  program = function(me)
    local lock = fenced.lock(me, "order:42", { lease_ms = 1500 })
    if lock:acquire() then
      me:work(200)
      lock:release()
    end
  end,
  expect  = {
    script_health = "violated",
    -- B asks for ever.
    no_deadlock = "violated",
    lease_set = "violated",
  },
}
