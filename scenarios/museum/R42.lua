-- A group's tryLock took each lock with twice the wait as its lease, and a caller that does not wait says -1: the lease
-- was negative, and PEXPIRE deletes a key whose time is over. The script answers "yours" all the same, to every
-- client.
local redisson = require "redisson.lock"
local multi = require "redisson.multi"

return {
  title   = "R42: a group's tryLock without a wait",
  exhibit = { bug = "#2172", library = "Redisson", versions = "2016 to 3.11.0",
              what = "a wait of -1 makes the lease negative, which deletes the lock at once" },
  clients = { "A", "B" },
  program = function(me)
    local group = multi.lock(me, "transfer", { redisson.lock(me, "account:1"), redisson.lock(me, "account:2") })
    if group:try_acquire(-1, 10, 1000) then
      me:work(100)
      group:release()
    end
  end,
  expect  = {
    mutual_exclusion = "violated",
    -- The acquire says "yours", and there is no key.
    matches_spec = "violated",
  },
  patch   = {
    ["redisson/multi/inner_lease.lua"] = [[
-- inner_lease.lua: with which lease a group takes each of its locks: twice the time that the caller waits; none (nil)
-- where it named none.
return function(wait, lease)
  if lease <= 0 then
    return nil
  end
  return 2 * wait
end
]],
  },

  -- The twin of R42: since 3.11.1 a caller who does not wait gets its own lease at each lock.
  twin = {
    title   = "R42 mended: the caller's own lease",
    expect  = {
      mutual_exclusion = "holds",
      strict_mutual_exclusion = "holds",
      matches_spec = "holds",
    },
    must_see = { "contention" },
    patch   = {},
  },
}
