-- release.lua: give the lock back, and tell who waits for it.
-- KEYS  1 lock, 2 channel     ARGV  1 token     Returns 1, or 0 where it is not ours any more.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', KEYS[2], 'free')
return 1
