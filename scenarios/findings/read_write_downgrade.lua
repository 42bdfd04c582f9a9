-- A writer takes the read lock as well, gives the write lock back and goes on reading, so that no other client may
-- write in between. From then on other readers may come in; but the script publishes only when the lock is free
-- altogether, so the waiters sleep on, until the lease that they were told of would have ended, or the reader
-- unlocks: here 5 s beside a lock that is open to them.
--
-- How likely: certain, at each downgrade while others wait to read. Nothing breaks but the point of the downgrade: it
-- is as slow for the others as if the write lock had been kept. The mend: publish whenever the last write hold goes
-- (the twin).
-- Checked against redisson 4.7.0 by recordings of its script (read_write.release_write).
local redisson = require "redisson.read_write"

return {
  title   = "a writer that goes on reading tells no waiter",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local read = redisson.read(me, "order:42")
    if me.client == "A" then
      local write = redisson.write(me, "order:42")
      write:acquire()
      read:acquire()
      me:work(100)
      write:release()
      me:work(5000)
    else
      read:acquire()
      me:work(100)
    end
    read:release()
  end,
  expect  = {
    prompt = { "violated", idle_ms = 1000 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "release", "wait" },

  -- The same with our mend: a waiting reader is told when the writer only reads on.
  twin = {
    title   = "a writer that goes on reading tells the waiters",
    expect  = {
      prompt = { "holds", idle_ms = 1 },
      -- The readers' timeout keys are not among the scripts' KEYS.
      script_health = "violated",
    },
    must_see = { "release", "wait", "message" },
    patch   = {
      ["redisson/read_write/release_write.lua"] = [[
@@
   redis.call('del', lock)
-  redis.call(publish, channel, message)
 else
   redis.call('hset', lock, 'mode', 'read')     -- other readers could enter now, and are not told
 end
+redis.call(publish, channel, message)          -- other readers can enter now, too
 redis.call('set', latch, 1, 'px', latch_ms)
]],
    },
  },
}
