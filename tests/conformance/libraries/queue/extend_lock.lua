-- extend_lock.lua: a worker that is still at work says so.
-- KEYS  1 stalled      ARGV  1 job, 2 worker, 3 lock ms      Returns 1, or 0 if the lock is not its own.
local lock = 'lock:' .. ARGV[1]
if redis.call('GET', lock) ~= ARGV[2] then return 0 end
if not redis.call('SET', lock, ARGV[2], 'PX', ARGV[3], 'XX') then return 0 end
redis.call('SREM', KEYS[1], ARGV[1])
return 1
