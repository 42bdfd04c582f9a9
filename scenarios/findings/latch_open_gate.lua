-- A waiter of Redisson's latch parks at a gate of its process, which the message of the last count-down opens
-- and the message of a new count closes. It looks at the count, waits at the gate if it is not gone, and looks again.
-- Where the count is there and the gate is open, that loop never stops: it asks Redis again and again, without a
-- pause, on every thread that waits. One way there is a failover to a replica that lacks the last count-down: the
-- message has come, the count is back, and no client will count again.
--
-- How likely: a failover within the replica's lag of the last count-down. With one lost message it happens to a latch
-- that is used again: the gate of a late waiter stays open beside the new count, until that has gone. The wait
-- for ever is the failover's doing; that it takes a processor and a server with it is not. The mend: close the gate
-- before each look (the twin), so that what opens it is a message that came after. Checked against redisson 4.7.0 by
-- reading RedissonCountDownLatch.await (its loop over getCount) and CountDownLatchPubSub.onMessage (which opens and
-- closes the gate).
local redisson = require "redisson.latch"

return {
  title    = "an open gate beside a latch that counts again",
  replicas = 1,
  clients  = { "A", { "B", start_ms = 10 } },
  program  = function(me)
    local done = redisson.latch(me, "done")
    if me.client == "A" then
      if done:try_set_count(1) then
        done:await()
      end
    else
      me:work(100)
      done:count_down()
    end
  end,
  faults   = { failover = 1 },
  expect   = {
    no_busy_wait = "violated",
    -- The latch is back, or gone without a word: no client will open it.
    no_lost_wakeup = "violated", no_deadlock = "violated", no_leak = "violated",
  },
  must_see = { "failover", "message" },

  -- The same with our mend: a gate that is closed before each look. A waiter in vain asks no more.
  twin = {
    title    = "a gate is closed before the latch is looked at",
    expect   = {
      no_busy_wait = "holds",
      -- A failover still loses count-downs, and latches.
      no_lost_wakeup = "violated", no_deadlock = "violated", no_leak = "violated",
    },
    patch   = {
      ["redisson/latch.lua"] = [[
@@
   repeat
+    entry.open = false
     through, problem = look(self)
]],
    },
  },
}
