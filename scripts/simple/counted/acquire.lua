-- acquire.lua: take the lock or re-enter it (seed 002, the reentrant lock).
-- KEYS  1 lock (hash: owner -> holds)
-- ARGV  1 owner's unique value, 2 lease in whole seconds; absent, or not above 0: the lock never expires
-- Returns 1 when the lock is ours, 0 while another client holds it. Only the first hold sets the expiry.
local lock = KEYS[1]
local owner = ARGV[1]
local lease_s = tonumber(ARGV[2]) or 0
if redis.call('exists', lock) == 0 then
  redis.call('hincrby', lock, owner, 1)  -- locksim: allow LS008 seed 002: without a lease it never expires
  if lease_s > 0 then
    redis.call('expire', lock, lease_s)
  end
  return 1
end
if redis.call('hexists', lock, owner) == 1 then
  redis.call('hincrby', lock, owner, 1)
  return 1
end
return 0
