-- acquire.lua: take the lease if it is free, and number it.
-- KEYS  1 lock, 2 counter      ARGV  1 a value that is never used twice, 2 lease in milliseconds
-- Returns the fencing token (integer > 0), or 0 while another client holds the lock.
local lock, counter = KEYS[1], KEYS[2]
local token, lease_ms = ARGV[1], ARGV[2]
if not redis.call('SET', lock, token, 'NX', 'PX', lease_ms) then
  return 0
end
return redis.call('INCR', counter)
