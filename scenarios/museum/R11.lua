-- Whoever holds the write lock asks for the read lock, too. He was refused like everybody else, so he waits for himself, and his watchdog
-- renews what he waits for.
local redisson = require "redisson.read_write"

return {
  title   = "R11: a writer cannot take the read lock",
  exhibit = { bug = "#758", library = "Redisson", versions = "before 3.2.4",
              what = "a writer who also wants to read waits for himself", twin = "R11_mended.lua" },
  clients = { "A", "B" },
  program = function(me)
    local write, read = redisson.write(me, "order:42"), redisson.read(me, "order:42")
    write:acquire()
    read:acquire()
    me:work(100)
    read:release()
    write:release()
  end,
  expect  = {
    no_deadlock = "violated",
    -- He holds the lock, and is told that he has to wait.
    reentrancy = "violated",
    matches_spec = "violated",
  },
  must_see = { "grant" },
}
