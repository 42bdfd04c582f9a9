-- A group's lock(lease) tries round by round, and each round applied the caller's unit to what the last one had made
-- of its lease: two seconds become 2000 seconds in the second round and 23 days in the third. A client that dies then
-- leaves the locks behind for as long.
local redisson = require "redisson.lock"
local multi = require "redisson.multi"

return {
  title   = "R46: a lease that grows with every round",
  exhibit = { bug = "#5484's fix", library = "Redisson", versions = "3.25.1 to 4.7.0",
              what = "a group's lease is multiplied by its unit every round" },
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local accounts = { redisson.lock(me, "account:1"), redisson.lock(me, "account:2") }
    if me.client == "A" then                   -- works with one of the accounts, for longer than B's first round
      accounts[2]:acquire({ lease_ms = 10000 })
      me:work(2500)
      accounts[2]:release()
    else
      local both = multi.lock(me, "transfer", accounts)
      both:acquire(2, 1000)
      me:work(100)
      both:release()
    end
  end,
  expect  = {
    lease_set = "violated",
  },
  must_see = { "contention" },

  -- The twin of R46, mended by us: the unit is applied once, before the first round.
  twin = {
    title   = "R46 mended: one lease for all rounds",
    expect  = {
      lease_set = "holds",
    },
    patch   = {
      ["redisson/multi/rounds.lua"] = [[
-- rounds.lua: the lease that each round of a group's lock() asks for, in milliseconds: a function that is called once
-- a round.
return function(lease, unit_ms)
  return function()
    return lease * unit_ms
  end
end
]],
    },
  },
}
