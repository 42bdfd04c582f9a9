-- Seed 002: without a lease the lock does not expire. So a crash of its holder locks all clients out for ever.
local simple = require "simple.string"

return {
  title   = "claim of seed 002: no expiry unless asked for",
  clients = { "A", "B" },
  program = function(me)
    local lock = simple.lock(me, "dist_lock", { retry_ms = 30000 })
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  faults  = { crash = 1 },
  end_ms  = 90000,
  expect  = {
    lease_set   = "violated",
    no_leak     = "violated",
    prompt      = { "violated", idle_ms = 60000 },
  },
  must_see = { "crash" },
}
