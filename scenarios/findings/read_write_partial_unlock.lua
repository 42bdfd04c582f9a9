-- A writer with a short lease reads as well, with a long one, and re-enters the write lock. The inner write unlock
-- sets the hash to live for the write lock's lease, and forgets the read lock's: a second later the next writer comes
-- in while the first one reads. It is H02 of the museum the other way round.
--
-- How likely: it takes nested write holds, and a read hold with a longer lease than theirs that outlives them: rare,
-- and then certain. The mend: an unlock that leaves holds over never makes the key's life shorter (the twin).
-- Checked against redisson 4.7.0 by recordings of its script (read_write.release_write).
local redisson = require "redisson.read_write"

return {
  title   = "an inner write unlock shortens the read lease",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local write, read = redisson.write(me, "order:42", { lease_ms = 1000 }),
                        redisson.read(me, "order:42", { lease_ms = 60000 })
    write:acquire()
    if me.client == "A" then
      read:acquire()
      write:acquire()
      me:work(10)
      write:release()
      write:release()
      me:work(5000)
      read:release()
    else
      me:work(100)
      write:release()
    end
  end,
  expect  = {
    mutual_exclusion = "violated",
    lease_set = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "re-entry", "expiry" },

  -- The same with our mend: what is left lives as long as it was promised.
  twin = {
    title   = "an inner write unlock never shortens",
    expect  = {
      mutual_exclusion = "holds",
      -- A write hold within another adds its lease to what is left.
      lease_set = "violated",
      -- The readers' timeout keys are not among the scripts' KEYS.
      script_health = "violated",
    },
    must_see = { "re-entry", "wait" },
    patch   = {
      ["redisson/read_write/release_write.lua"] = [[
@@
 if redis.call('hincrby', lock, writer, -1) > 0 then
-  redis.call('pexpire', lock, lease_ms)
+  -- the writer may have been promised more, as a reader
+  redis.call('pexpire', lock, math.max(redis.call('pttl', lock), lease_ms))
   redis.call('set', latch, 0, 'px', latch_ms)
]],
    },
  },
}
