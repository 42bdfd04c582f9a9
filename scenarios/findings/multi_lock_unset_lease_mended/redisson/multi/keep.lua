-- keep.lua: the mend. Each lock is renewed by a script that asks whose it is; where one is not, or does not answer, or the lease that the
-- caller named is over by now, the group is not his.
-- Returns whether the group is ours, and what is left of his lease.
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
