-- release.lua: give the lock back, if it is still the caller's, and leave one sign for a waiter that the lock is
-- free.
-- KEYS  1 lock, 2 list of signs      ARGV  1 the value that the caller's acquire stored, 2 how long a sign lies that
--       no client takes, in ms
-- Returns 1, or 0 when another client's value stands there, or none.
local lock, signs = KEYS[1], KEYS[2]
local token, sign_ms = ARGV[1], ARGV[2]
if redis.call('GET', lock) ~= token then
  return 0
end
redis.call('DEL', lock, signs)
redis.call('LPUSH', signs, 1)
redis.call('PEXPIRE', signs, sign_ms)
return 1
