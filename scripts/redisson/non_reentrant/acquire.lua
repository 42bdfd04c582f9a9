-- acquire.lua: take the lock, or learn how long the present holder's lease still runs. The holder itself gets an
-- error.
-- KEYS  1 lock (hash: owner -> holds)      ARGV  1 lease in milliseconds, 2 owner, 3 the error's text
-- Returns nil when the lock is ours; otherwise the milliseconds left (-1: it never expires).
local lock = KEYS[1]
local lease_ms, owner, text = ARGV[1], ARGV[2], ARGV[3]
if redis.call('exists', lock) == 0 then
  redis.call('hincrby', lock, owner, 1)
  redis.call('pexpire', lock, lease_ms)
  return nil
end
if redis.call('hexists', lock, owner) == 1 then
  return redis.error_reply(text)
end
return redis.call('pttl', lock)
