-- A writer with a short lease reads as well, with a long one, and writes within that once more. The inner write unlock sets the hash to live for
-- the write lock's lease, and forgets the read lock's: a second later the next writer comes in while the first one reads. It is H02 of the
-- museum the other way round.
--
-- How likely: it takes nested write holds, and a read hold with a longer lease than theirs that outlives them: rare, and then certain. The
-- mend: an unlock that leaves holds over never makes the key's life shorter (read_write_partial_unlock_mended/).
-- Checked against redisson 4.7.0 by recordings of its script (read_write.release_write).
local redisson = require "redisson.read_write"

return {
  title   = "an inner write unlock shortens the read lease",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local write, read = redisson.write(me, "order:42", { lease_ms = 1000 }), redisson.read(me, "order:42", { lease_ms = 60000 })
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
}
