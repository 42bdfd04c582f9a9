-- Seed 002 lets the lease be any number; EXPIRE takes whole seconds only. A lease of 1.5 s makes the script fail after
-- SETNX: no client learns that it holds the lock, the lock has no expiry, it stays for ever. A script's error takes
-- nothing back.
local simple = require "simple.string"

return {
  title   = "claim of seed 002: any lease",
  clients = { "A" },
  program = function(me)
    local lock = simple.lock(me, "dist_lock", { lease_s = 1.5 })
    local got, why = lock:acquire()
    assert(got == nil and why:find("not an integer", 1, true))
    assert(me:call("TTL", "dist_lock") == -1)
  end,
  expect  = { script_health = "violated", no_leak = "violated", lease_set = "violated" },
}
