-- reprioritize.lua: gives a waiting job another priority; 0 puts it back into the plain line.
-- KEYS  1 wait, 2 prioritized, 3 meta      ARGV  1 job, 2 priority
local wait, prioritized, meta = KEYS[1], KEYS[2], KEYS[3]
local job, priority = ARGV[1], tonumber(ARGV[2])
local had = redis.call('ZSCORE', prioritized, job)
if not had and redis.call('LREM', wait, 0, job) == 0 then return -1 end
if priority == 0 then
  redis.call('ZREM', prioritized, job)
  redis.call('LPUSH', wait, job)
else
  local number = redis.call('HINCRBY', meta, 'last', 1)
  redis.call('ZADD', prioritized, string.format('%.0f', priority * 2 ^ 32 + number), job)
end
redis.call('HSET', 'job:' .. job, 'priority', priority)
return had or 0
