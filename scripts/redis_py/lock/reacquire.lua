-- reacquire.lua: Lock.do_reacquire of redis-py: let the caller's lock live for its whole time again.
-- KEYS  1 lock      ARGV  1 token, 2 lease in milliseconds
-- Returns 1, or 0 when the lock is not the caller's.
local lock, token, lease_ms = KEYS[1], ARGV[1], ARGV[2]
if redis.call('get', lock) ~= token then
  return 0
end
redis.call('pexpire', lock, lease_ms)
return 1
