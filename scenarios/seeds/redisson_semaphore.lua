-- redisson/semaphore in situations of its own.
local redisson = require "redisson.semaphore"

return {
  cases = {
    -- One takes three permits at once and gives them back in two parts; another takes one twice and gives back both at
    -- once. A waiter for two gets them as soon as so many are there, and never are more out than there are.
    in_parts = {
      title   = "redisson/semaphore: permits come back in parts",
      clients = { "A", { "B", start_ms = 10 } },
      program = function(me)
        local pool = redisson.semaphore(me, "pool", { permits = 3 })
        pool:try_set_permits()
        if me.client == "A" then
          pool:acquire(3)
          me:work(100)
          pool:release(1)
          me:work(100)
          pool:release(2)
          return
        end
        pool:acquire(1)
        pool:acquire(1)
        me:work(100)
        pool:release(2)
      end,
      expect  = {
        strict_mutual_exclusion = "holds",
        prompt = { "holds", idle_ms = 1 },
      },
      must_see = { "wait" },
    },
  },
}
