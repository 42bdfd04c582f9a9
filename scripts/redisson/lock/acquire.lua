-- acquire.lua: take the reentrant lock or re-enter it, or learn how long the present holder's lease still runs.
-- KEYS  1 lock (hash: owner -> holds)      ARGV  1 lease in milliseconds, 2 owner
-- Returns nil when the lock is ours; otherwise the milliseconds left (-1: it never expires).
-- The commands are those that seeds 000 and 001 print, in their order.
local lock = KEYS[1]
local lease_ms, owner = ARGV[1], ARGV[2]
if redis.call('exists', lock) == 0 then
  redis.call('hincrby', lock, owner, 1)
  redis.call('pexpire', lock, lease_ms)
  return nil
end
if redis.call('hexists', lock, owner) == 1 then
  redis.call('hincrby', lock, owner, 1)
  redis.call('pexpire', lock, lease_ms)
  return nil
end
return redis.call('pttl', lock)
