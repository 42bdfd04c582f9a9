-- acquire.lua: take the lock by creating its key (seed 002, the simple lock).
-- KEYS  1 lock      ARGV  1 owner's unique value, 2 lease in whole seconds; absent, or not above 0: the lock never
--       expires
-- Returns 1 when the lock is ours, 0 while a client holds it.
local lock = KEYS[1]
local owner = ARGV[1]
local lease_s = tonumber(ARGV[2]) or 0
-- locksim: allow LS008, LS019 seed 002: without a lease it never expires
if redis.call('setnx', lock, owner) == 1 then
  if lease_s > 0 then
    redis.call('expire', lock, lease_s)
  end
  return 1
end
return 0
