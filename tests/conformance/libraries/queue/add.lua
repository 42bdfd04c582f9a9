-- add.lua: puts a job where it belongs: to be taken at once, at its time, or by its priority.
-- KEYS  1 wait, 2 delayed, 3 prioritized, 4 meta      ARGV  1 job, 2 now in ms, 3 delay in ms, 4 priority, 5 options by cmsgpack
local wait, delayed, prioritized, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local job, now, delay, priority = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local options = cmsgpack.unpack(ARGV[5])
local key = 'job:' .. job
if redis.call('EXISTS', key) == 1 then
  redis.call('HINCRBY', key, 'again', 1)
  return { 0, job }
end
local number = redis.call('HINCRBY', meta, 'last', 1)
redis.call('HMSET', key, 'owner', options[1], 'at', options[2], 'tries', options[3] or 0, 'data', cjson.encode({ job, number }),
           'delay', delay, 'priority', priority)
if delay > 0 then
  -- Twelve bits below the time keep the order of jobs of one millisecond.
  redis.call('ZADD', delayed, (now + delay) * 4096 + bit.band(number, 4095), job)
elseif priority > 0 then
  redis.call('ZADD', prioritized, priority * 4294967296 + number % 4294967296, job)
elseif redis.call('HEXISTS', meta, 'paused') == 1 then
  redis.call('RPUSH', wait, job)
else
  redis.call('LPUSH', wait, job)
end
return { number, job, priority / 7 }
