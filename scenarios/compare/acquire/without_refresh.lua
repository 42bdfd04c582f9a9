-- without_refresh.lua: shorter.lua with an easy mistake: a re-entrant acquire keeps the first deadline.
-- KEYS  1 lock (hash: owner -> holds)      ARGV  1 lease in milliseconds, 2 owner
-- Returns nil when the lock is ours; otherwise the milliseconds left.
local lock = KEYS[1]
local lease_ms, owner = ARGV[1], ARGV[2]
if redis.call('exists', lock) == 0 or redis.call('hexists', lock, owner) == 1 then
  if redis.call('hincrby', lock, owner, 1) == 1 then
    redis.call('pexpire', lock, lease_ms)
  end
  return nil
end
return redis.call('pttl', lock)
