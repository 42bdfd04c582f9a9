-- Three clients ask three servers at the same time, and each gets one vote. node-redlock keeps these votes while it
-- tries again, and its script counts its own value as another client's: no try can win until a client has used up all
-- of its tries, or the leases have ended. No client holds the lock, and none gets it.
--
-- How likely: a lock that many want at one moment (a timer's, say) over servers that answer about equally fast; the
-- more clients, the more often. With the settings as they come (10 tries more, 200 ms apart) each such meeting costs 2
-- s, and clients go away without a lock that was free. Redis' description of the algorithm has a client give its votes
-- back at once, and redlock 4.2.0 does; so does the twin. Checked against redlock 5.0.0-beta.2 by a trace of the
-- package's client (13_split_vote) and by the cases of its script (redlock.acquire).
local redlock = require("node_redlock.redlock").over(3)

return {
  title   = "node-redlock: a split vote lasts until the tries are over",
  servers = 3,
  clients = { "A", "B", "C" },
  start_ms = 0,
  program = function(me)
    local lock = redlock.lock(me, "order:42", { lease_ms = 5000, retries = 20, jitter_ms = 50, retry_ms = 100 })
    if lock:acquire() then
      me:work(10)
      lock:release()
    end
  end,
  explore = { random = 300 },
  expect  = { prompt = { "violated", idle_ms = 1500 } },
  must_see = { "contention" },

  twin = {
    title   = "node-redlock: votes of a refused try are given back before the next",
    expect  = { prompt = { "holds", idle_ms = 1500 } },
    patch   = {
      ["node_redlock/redlock.lua"] = [[
@@
                     options = { op = "vote", lock = name, lease = lease_ms } }
-  request.refused = function() me:refused(name) end
+  request.refused = function()
+    me:refused(name)
+    vote(self, release_request(self))
+  end
   if execute(self, request, retries or self.opts.retries) then
]],
    },
  },
}
