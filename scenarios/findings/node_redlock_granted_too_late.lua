-- The answers that make node-redlock's majority come when the lease is over. Its acquire() counts votes and does not
-- look at the time: the caller gets a lock whose expiration has passed, and works beside the next one. Only the
-- automatic extension of using() would notice.
--
-- How likely: as likely as an answer that is slower than the lease: a pause of the event loop or of the network of
-- some seconds, on leases that are often no longer. Redis' description of the algorithm has the client compare, and
-- redlock 4.2.0 does (redlock.js, "lock.expiration > Date.now()"). The mend: the twin compares, and gives back; until
-- then a caller can look at lock.expiration itself. Checked against redlock 5.0.0-beta.2 by a trace of the package's
-- client (14_granted_too_late: told at 1500 ms, its keys gone since 1001 ms).
local redlock = require("node_redlock.redlock").over(1)

return {
  title   = "node-redlock: acquire returns a lock that is over",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    local lock = redlock.lock(me, "order:42", { lease_ms = 500, retries = 2, jitter_ms = 0, retry_ms = 400 })
    if lock:acquire() then
      me:work(5)
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A", op = "vote" } },
  expect  = { strict_mutual_exclusion = "violated" },
  must_see = { "pause", "expiry" },

  twin = {
    title   = "node-redlock: an acquisition that is over is given back",
    expect  = { strict_mutual_exclusion = "holds" },
    patch   = {
      ["node_redlock/redlock.lua"] = [[
@@
     self.until_ms = ends_ms(self, began_ms, lease_ms)
     local left_ms = self.until_ms - me:now()
-    me:granted(name, { lease = left_ms < 0 and ended_ms or left_ms })
-    return true
+    if left_ms > 0 then
+      me:granted(name, { lease = left_ms })
+      return true
+    end
   end
]],
    },
  },
}
