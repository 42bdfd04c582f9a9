-- acquire_plain.lua: take the lock or re-enter it, and number it; or learn how long the present holder's lease still
-- runs.
-- KEYS  1 lock (hash: owner -> holds), 2 the counter of tokens      ARGV  1 lease in milliseconds, 2 owner
-- Returns nil when the lock is ours, otherwise the milliseconds left. The token is not told.
local lock, tokens = KEYS[1], KEYS[2]
local lease_ms, owner = ARGV[1], ARGV[2]
if redis.call('exists', lock) == 0 or redis.call('hexists', lock, owner) == 1 then
  redis.call('incr', tokens)
  redis.call('hincrby', lock, owner, 1)
  redis.call('pexpire', lock, lease_ms)
  return nil
end
return redis.call('pttl', lock)
