-- acquire.lua: take the reentrant lock, take it once more, or learn how long the present holder's lease still runs.
-- KEYS  1 lock (hash: owner -> holds)      ARGV  1 lease in milliseconds, 2 owner
-- Returns nil when the lock is ours; otherwise the milliseconds left (-1: it never expires).
local lock = KEYS[1]
local lease_ms, owner = ARGV[1], ARGV[2]
if redis.call('exists', lock) == 0 then
  redis.call('hincrby', lock, owner, 1)
  redis.call('pexpire', lock, lease_ms)
  return nil
end
if redis.call('hexists', lock, owner) == 1 then
  redis.call('hincrby', lock, owner, 1)
  if redis.call('pttl', lock) < tonumber(lease_ms) then
    redis.call('pexpire', lock, lease_ms)      -- a hold within a hold never takes away what the outer one was promised
  end
  return nil
end
return redis.call('pttl', lock)
