-- extend.lua: Lock.do_extend of redis-py: let the caller's lock live longer.
-- KEYS  1 lock      ARGV  1 token, 2 milliseconds, 3 "0": these are added to what is left, else they take its place
-- Returns 1, or 0 when the lock is not the caller's, or has no end.
local lock = KEYS[1]
local token, more_ms, replace = ARGV[1], ARGV[2], ARGV[3]
if redis.call('get', lock) ~= token then
  return 0
end
local left_ms = redis.call('pttl', lock)
if left_ms < 0 then
  return 0
end
redis.call('pexpire', lock, replace == '0' and more_ms + left_ms or more_ms)
return 1
