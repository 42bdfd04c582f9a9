-- redis-semaphore's RedlockMultiSemaphore asks three servers for two permits; a try that gets no majority removes from
-- each server the member that is called like its identifier. But its permits are called IDENTIFIER_0, IDENTIFIER_1:
-- nothing is removed. What a refused try got stays until it runs out, and refuses all clients, its own next tries among
-- them.
--
-- How likely: as often as three clients or more ask at once and share the servers' votes, or two while another holds
-- one server's; each time the semaphore is closed for a lease (10 s as it comes, as long as acquireTimeout: all of
-- them time out). The mend: the script with which its release() gives permits back, in the twin. Checked against
-- redis-semaphore 5.8.0 by a trace of its client (52_rmulti_keeps_permits: ZREM of the bare identifier answers 0) and
-- by reading lib/redlockMultiSemaphore/acquire.js beside release.js.
local pool = require("redis_semaphore.over").multi_semaphore(3, { permits = 2, take = 2, lease_ms = 3000 })

return {
  title   = "redis-semaphore: a refused try keeps its permits",
  servers = 3,
  clients = { "A", "B", "C" },
  start_ms = 0,
  program = function(me)
    local lock = pool.lock(me, "pool", { retry_ms = me:choose { 150, 250 }, wait_ms = 5000, refresh_ms = 0 })
    if lock:acquire() then
      me:work(10)
      lock:release()
    end
  end,
  explore = { random = 300 },
  expect  = { prompt = { "violated", idle_ms = 1500 } },
  must_see = { "contention" },

  twin = {
    title   = "redis-semaphore: a refused try gives its permits back",
    expect  = { prompt = { "holds", idle_ms = 1500 } },
    patch   = {
      ["redis_semaphore/over.lua"] = [[
@@
-requests.multi.give_back = requests.semaphore.release
+requests.multi.give_back = requests.multi.release
]],
    },
  },
}
