-- shorter.lua: the reentrant acquire with both grants in one condition, as Redisson writes it today;
-- scripts/redisson/lock/acquire.lua is the longer form.
-- KEYS  1 lock (hash: owner -> holds)      ARGV  1 lease in milliseconds, 2 owner
-- Returns nil when the lock is ours; otherwise the milliseconds left.
local lock = KEYS[1]
local lease_ms, owner = ARGV[1], ARGV[2]
if redis.call('exists', lock) == 0 or redis.call('hexists', lock, owner) == 1 then
  redis.call('hincrby', lock, owner, 1)
  redis.call('pexpire', lock, lease_ms)
  return nil
end
return redis.call('pttl', lock)
