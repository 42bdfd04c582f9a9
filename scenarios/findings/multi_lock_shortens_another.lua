-- The lease of a group is set at the end by PEXPIRE, which asks for no owner. A takes X with a lease of two seconds,
-- stands still until it has ended, takes Y, and sets the lease of both: X is B's by now, which was promised ten seconds
-- and works for five. B's lock ends with A's lease, and C gets it while B works. B did nothing wrong, and A has
-- nothing of it.
--
-- How likely: as multi_lock_half_gone, and another client must have taken that lock in the meantime; where it is
-- wanted, one has. The mend is the same: to renew by a script that asks whose the lock is (the twin).
-- Checked against redisson 4.7.0 by reading RedissonMultiLock.tryLock(waitTime, leaseTime, unit) and
-- RedissonExpirable.expireAsync, which asks for no owner.
local group = require "redisson.multi"
local redisson = require "redisson.lock"

return {
  title   = "a multi-lock shortens another client's lease",
  servers = 2,
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 2001 }, { "C", start_ms = 4500 } },
  program = function(me)
    local x, y = redisson.lock(me:on(1), "X"), redisson.lock(me:on(2), "Y")
    if me.client ~= "A" then
      if x:try_acquire(nil, 10000) then
        me:work(5000)
        x:release()
      end
      return
    end
    local both = group.lock(me, "X and Y", { x, y })
    if both:try_acquire(-1, 2000) then
      me:work(100)
      both:release()
    end
  end,
  faults  = { pause = { 1, of = "A" } },
  expect  = {
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    owner_only = "violated",
    lease_set = "violated",
    matches_spec = "violated",
  },
  must_see = { "pause", "expiry" },

  -- The same with our mend: a group renews what is its own.
  twin = {
    title   = "a multi-lock renews its own locks only",
    expect  = {
      mutual_exclusion = "holds", owner_only = "holds", lease_set = "holds", matches_spec = "holds",
      -- A lease and a pause: A's own work may outlast it.
      strict_mutual_exclusion = "violated",
    },
    patch   = {
      ["redisson/multi/keep.lua"] = [[
-- keep.lua: the mend. Each lock is renewed by a script that asks whose it is; where one is not, or does not answer, or
-- the lease that the caller named is over by now, it has no group.
-- Returns whether the group is ours, and what is left of its lease.
local evaluate = require "evaluate"

local renew = script "redisson/lock/renew.lua"

return function(locks, lease_ms, asked_ms)
  local me, all = locks[1].me, true
  local from_ms = me:now()
  for _, lock in ipairs(locks) do
    local renewed = evaluate.eval(lock.me, renew, { lock.name }, { lease_ms, lock.me.id },
                                  { op = "renew", lock = lock.name, lease = asked_ms })
    all = all and renewed ~= nil and renewed[1] == 1
  end
  local left_ms = asked_ms - (me:now() - from_ms)
  return all and left_ms > 0, left_ms
end
]],
    },
  },
}
