-- node-redlock's using() runs a routine and extends its lock; a routine whose lock could not be extended is told by an
-- abort signal. But the signal waits for the extension's answer, and after an error for all of its tries: not for the
-- end of the lease. An extension that is not answered leaves the routine at work for as long as the client waits,
-- beside the next holder, though using() knows lock.expiration.
--
-- How likely: a server that stops answering for longer than automaticExtensionThreshold (500 ms as it comes) while
-- a client waits for the lock; with the settings as they come even a plain refusal is told 0.5 to 2.5 s late, for the
-- extension is tried 11 times, 100 to 300 ms apart. The documents of the package say that a routine must look at the
-- signal, not that it comes late. The mend: a timer for the end of the lease, in the twin. Checked against redlock
-- 5.0.0-beta.2 by traces of the package's client (18_told_late: the next one holds from 3600 ms on, the abort comes at
-- 3979 ms; 11_using_loses: the lease ends at 1978 ms, the abort comes at 2478 ms).
local redlock = require("node_redlock.redlock").over(1)

return {
  title   = "node-redlock: the routine is told when the answer comes, not when the lease ends",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local lock = redlock.lock(me, "order:42", { lease_ms = 1000, retries = 9, jitter_ms = 0, retry_ms = 400,
                                                threshold_ms = 500 })
    if me.client == "A" then
      lock:using(function(signal)
        local stop = me:semaphore(0)
        signal.on_abort = function() stop:release(1) end
        stop:acquire(2600)             -- work that stops at once when it is told
      end)
    elseif lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { lose_reply = { 1, of = "A", op = "renew" } },
  expect  = { strict_mutual_exclusion = "violated" },
  must_see = { "lose_reply", "renewal" },

  twin = {
    title   = "node-redlock: the routine is told when the lease ends",
    expect  = { strict_mutual_exclusion = "holds" },
    patch   = {
      ["node_redlock/redlock.lua"] = [[
@@
-local function queue_extension(self, held)
+local function tell(held)
+  if not held.signal.aborted then
+    held.signal.aborted = true
+    held.signal.on_abort()
+  end
+end
+
+local function queue_extension(self, held)
+  local until_ms = self.until_ms
+  self.me:spawn("end", function(task)
+    task:sleep(timer_ms(until_ms - task:now()))
+    if self.until_ms == until_ms then
+      tell(held)
+    end
+  end, { daemon = true })
   held.timer = self.me:spawn("extension", function(task)
@@
-    held.signal.aborted = true
-    if held.signal.on_abort then
-      held.signal.on_abort()
-    end
+    tell(held)
   end, { daemon = true })
]],
    },
  },
}
