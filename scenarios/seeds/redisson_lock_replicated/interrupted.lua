-- Whoever is interrupted while his acquire waits for a replica hears at once that he has failed. The library goes on without him: it takes
-- back what no replica has, tries again, gets the lock, and has the watchdog renew it for nobody.
local redisson = require "redisson.lock"

return {
  title    = "redisson/lock with a replica: an acquire goes on without its caller",
  replicas = 1,
  clients  = { "A" },
  program  = function(me)
    local lock = redisson.lock(me, "order:42", { replicas = 1 })
    local got, why = lock:acquire()
    assert(not got and why == "interrupted")
    me:sleep(60000)
    assert(me:call("HEXISTS", "order:42", me.id) == 1)     -- two leases later
    lock:force_release()
  end,
  faults   = { lag = { 1, ms = 1500 }, interrupt = 1 },
  explore  = { schedule = "!lag 1 A.acquire !interrupt A" },
  expect   = { no_leak = "holds" },
  must_see = { "lag", "interrupt", "resend", "renewal" },
}
