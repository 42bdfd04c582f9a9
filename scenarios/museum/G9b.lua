-- A message goes to whoever is connected at that moment, and to nobody later. A semaphore's waiter parks without limit, for it has no lease
-- whose end to wait for: if the message about the permit finds its connection down, it waits beside a free permit until another release.
local redisson = require "redisson.semaphore"

return {
  title   = "G9b: the semaphore's message is lost",
  exhibit = { bug = "G9", library = "Redisson", versions = "all", what = "a semaphore's waiter misses the message and sleeps for ever",
              twin = "G9b_mended.lua" },
  clients = { "A", "B" },
  program = function(me)
    local pool = redisson.semaphore(me, "pool", { permits = 1 })
    pool:try_set_permits()
    if pool:acquire() then
      me:work(100)
      pool:release()
    end
  end,
  faults  = { lose_message = 1 },
  expect  = {
    no_lost_wakeup = "violated",
    -- The same waiter.
    no_deadlock = "violated",
  },
  must_see = { "lose_message", "wait" },
}
