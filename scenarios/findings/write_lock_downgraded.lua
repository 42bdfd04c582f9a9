-- A writer takes the read lock, too, and gives back the write lock: the usual way to let others read what was written. The lock is everybody's to
-- read from then on, and nobody is told: the script publishes only when the lock is free. A reader who was refused before sleeps until the
-- lease that he was told of, or, as here, until his own time is up, and goes away empty-handed after 5 s beside a lock that he could have had.
-- (The program says what it sees: tryLock(5 s) of B fails in every schedule.)
--
-- How likely: always, where a writer downgrades while readers wait; it costs them the writer's lease, or the read lock's length. The
-- mend: publish then, too (write_lock_downgraded_mended/).
local read_write = require "redisson.read_write"

return {
  title   = "a downgrade that tells nobody",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me, mended)
    local read = read_write.read(me, "order:42", { lease_ms = 30000 })
    if me.client == "A" then
      local write = read_write.write(me, "order:42", { lease_ms = 30000 })
      write:acquire()
      read:acquire()
      me:work(100)
      write:release()
      me:work(10000)
      read:release()
    else
      local got = read:try_acquire(5000)
      assert(got == (mended or false))
      if got then
        read:release()
      end
    end
  end,
  -- The scripts build the names of the keys that hold each reader's lease.
  expect  = { script_health = "violated" },
  must_see = { "contention" },
}
