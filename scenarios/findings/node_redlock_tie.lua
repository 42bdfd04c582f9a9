-- Two servers, and each of two clients has the vote of one of them. node-redlock's try is over when a majority, here
-- two, is for it or against it: one and one is neither, and the promise of acquire() is never settled. No retry, no
-- error, no time-out: both wait for ever, their votes end, and the lock is free.
--
-- How likely: only with an even number of servers, which the algorithm's description advises against and the package
-- takes without a word; there, at every tie: any two clients that ask at once, or one server that is down while the
-- other has the key. The mend: a try is lost when a majority can no longer be had: the twin. Checked against redlock
-- 5.0.0-beta.2 by a trace of the package's client (17_tie: its call is never told anything) and by reading
-- Redlock._attemptOperation.
local redlock = require("node_redlock.redlock").over(2)

return {
  title   = "node-redlock: a tie between two servers is waited out for ever",
  servers = 2,
  clients = { "A", "B" },
  start_ms = 0,
  program = function(me)
    local lock = redlock.lock(me, "order:42", { lease_ms = 1000, retries = 3, jitter_ms = 0, retry_ms = 700 })
    if lock:acquire() then
      me:work(10)
      lock:release()
    end
  end,
  explore = { random = 200 },
  expect  = { no_deadlock = "violated", no_lost_wakeup = "violated" },

  twin = {
    title   = "node-redlock: a try without a majority is lost",
    expect  = { no_deadlock = "holds", no_lost_wakeup = "holds" },
    patch   = {
      ["node_redlock/redlock.lua"] = [[
@@
       votes[side] = votes[side] + 1
-      if votes[side] == quorum(self.servers) and result == nil then
-        result = side
+      if result == nil and
+          (votes[true] == quorum(self.servers) or votes[false] > self.servers - quorum(self.servers)) then
+        result = votes[true] == quorum(self.servers)
         decided:release(1)
]],
    },
  },
}
