-- acquire.lua: take the lease if it is free, and number it; its length goes to EXPIRE in seconds, after the lock was written.
-- KEYS  1 lock, 2 counter      ARGV  1 a value that is never used twice, 2 lease in milliseconds
-- Returns the fencing token (integer > 0), or 0 while somebody else holds the lock.
local lock, counter = KEYS[1], KEYS[2]
local token, lease_ms = ARGV[1], ARGV[2]
if redis.call('SETNX', lock, token) == 0 then
  return 0
end
redis.call('EXPIRE', lock, lease_ms / 1000)
return redis.call('INCR', counter)
