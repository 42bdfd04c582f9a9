-- With replicas an unlock that no replica is known to have is sent again, and each attempt takes a hold off the
-- watchdog's count. A lock that is held twice loses its renewal by the inner unlock and one moment of lag: it runs out
-- after 30 s while its owner is at work.
--
-- How likely: each replica that is more than a second behind while a nested lock is given back. The mend: take one
-- hold off when the unlock is done (the twin). Checked against redisson 4.7.0 by reading
-- RedissonBaseLock.unlockAsync0, which calls cancelExpirationRenewal for each attempt.
local redisson = require "redisson.lock"

return {
  title    = "an inner unlock and a lag end the renewal",
  replicas = 1,
  clients  = { "A", { "B", start_ms = 29000 } },
  program  = function(me)
    local lock = redisson.lock(me, "order:42", { replicas = 1 })
    lock:acquire()
    if me.client == "A" then
      lock:acquire()
      lock:release()
      me:work(35000)
    end
    lock:release()
  end,
  faults   = { lag = { 1, ms = 1500 } },
  expect   = { mutual_exclusion = "violated", strict_mutual_exclusion = "violated" },
  must_see = { "lag" },

  -- The same with our mend.
  twin = {
    title    = "an inner unlock and a lag leave the renewal alone",
    expect   = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds" },
    patch   = {
      ["redisson/client/unsynced_unlock.lua"] = [[
-- unsynced_unlock.lua: an attempt to unlock that no replica has, and after which there will be another, changes
-- nothing in the process.
return function() end
]],
    },
  },
}
