-- renew.lua: prolong the lock, if it is still the caller's.
-- KEYS  1 lock      ARGV  1 the value that the caller's acquire stored, 2 lease in milliseconds
-- Returns 1, or 0 when the lock is not the caller's.
local lock, token, lease_ms = KEYS[1], ARGV[1], ARGV[2]
if redis.call('GET', lock) ~= token then
  return 0
end
return redis.call('PEXPIRE', lock, lease_ms)
