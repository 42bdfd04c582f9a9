-- A multi-lock is taken lock by lock, and when the last one is there the first may have run out. A takes X with a
-- lease of two seconds, stands still for longer than that, takes Y, and is told that it has both. The request that
-- sets the lease at the end answers 0 for X, or prolongs or shortens what is B's by now, for it asks neither whose the
-- lock is nor looks at the answer.
--
-- How likely: any stall between the first lock and the last that is longer than the lease: a pause of the collector,
-- or a server that is slow to answer, of as many as there are locks. A waiter takes each lock for twice its wait, to
-- begin with: where that is less than 3 s, one request lost at the end is enough, for it is sent again when the lock
-- has gone. With the watchdog the first lock may only go by an eviction or a failover (the same break in
-- scenarios/faults/redisson_multi). The mend: the last request asks whose each lock is, and a client that has all of
-- them looks at the answers and at the time; where one is gone it gives the others back and says no (the twin).
-- Checked against redisson 4.7.0 by reading RedissonMultiLock.tryLock(waitTime, leaseTime, unit): expireAsync of each
-- lock at its end, whose answers it only waits for.
local group = require "redisson.multi"
local redisson = require "redisson.lock"

return {
  title   = "a multi-lock says yes when its first lock has run out",
  servers = 2,
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local x, y = redisson.lock(me:on(1), "X"), redisson.lock(me:on(2), "Y")
    if me.client == "B" then
      if x:acquire({ lease_ms = 10000 }) then
        me:work(100)
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
    matches_spec = "violated",
    -- B's lease on X is set anew by A, to less than it was promised.
    owner_only = "violated",
    lease_set = "violated",
    -- A lease and a pause: A's work may outlast it, too.
    strict_mutual_exclusion = "violated",
  },
  must_see = { "pause", "expiry" },

  -- The same with our mend: a client that is told yes has all of them, and no other client's lease is touched.
  twin = {
    title   = "a multi-lock says no when its first lock has run out",
    expect  = {
      matches_spec = "holds", owner_only = "holds", lease_set = "holds",
      strict_mutual_exclusion = "violated",      -- as before
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
