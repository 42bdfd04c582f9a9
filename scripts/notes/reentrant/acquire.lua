-- acquire.lua: take the reentrant lock or re-enter it (seed 004, as printed there).
-- KEYS  1 lock (hash: owner -> holds)      ARGV  1 lease in milliseconds, 2 owner
-- Returns 1 when the lock is ours, 0 while another client holds it.
local lock = KEYS[1]
local lease_ms, owner = ARGV[1], ARGV[2]
if redis.call('exists', lock) == 0 then
  redis.call('hset', lock, owner, 1)
  redis.call('pexpire', lock, lease_ms)
  return 1
end
if redis.call('hexists', lock, owner) == 1 then
  redis.call('hincrby', lock, owner, 1)
  redis.call('pexpire', lock, lease_ms)
  return 1
end
return 0
