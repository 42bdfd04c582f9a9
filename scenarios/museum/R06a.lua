-- The queue is a list and the deadlines are a sorted set, two keys. Where the second is lost, every script compares
-- nil with a number at its very first step: no acquire and no unlock works any more, for any client, until the list is
-- deleted by hand.
local redisson = require "redisson.fair"

return {
  title   = "R06a: the deadlines are lost, and every script fails",
  exhibit = { bug = "#4153 #5989 #2513", library = "Redisson", versions = "3.11.1 to 3.31.0",
              what = "every script compares a lost deadline" },
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { evict = { 1, of = "redisson_lock_timeout:{order:42}" } },
  expect  = { script_health = "violated", no_leak = "violated" },
  must_see = { "evict" },
  patch   = {
    ["redisson/fair.lua"] = [[
-- fair.lua: the fair lock as it was shipped from 3.13.3 on: no deadline is tested for being there before it is
-- compared.
return require "redisson.fair_3_13"
]],
  },

  -- The twin of R06a: a deadline that is not there is left out, and the lock goes on working.
  twin = {
    title   = "R06a mended: a lost deadline is no error",
    expect  = {
      script_health = "holds",
      -- Open to this day: a waiter whose deadline was lost is queued again when it asks again. The entry that it
      -- leaves behind has no deadline, so it is never taken out.
      matches_spec = "violated",
      no_leak      = "violated",
    },
    patch   = {},
  },
}
