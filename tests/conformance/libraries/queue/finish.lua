-- finish.lua: ends a job that its worker still holds, keeps the last few, and takes the next one.
-- KEYS  1 active, 2 done, 3 wait      ARGV  1 job, 2 now, 3 worker, 4 how many to keep (-1: all), 5 its result
-- Returns the next job, false where there is none, -2 if the lock is gone, -6 if it is another's, -3 if the job isn't active.
local active, done, wait = KEYS[1], KEYS[2], KEYS[3]
local job, now, worker, keep, result = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local lock = 'lock:' .. job
local holder = redis.call('GET', lock)
if holder ~= worker then return holder and -6 or -2 end
redis.call('DEL', lock)
if redis.call('LREM', active, -1, job) < 1 then return -3 end
local key = 'job:' .. job
if keep == 0 then
  redis.call('DEL', key)
else
  redis.call('ZADD', done, now, job)
  redis.call('HSET', key, 'result', result, 'ended', now)
  if keep > 0 then
    local old = redis.call('ZREVRANGE', done, keep, -1)
    for _, other in ipairs(old) do redis.call('DEL', 'job:' .. other) end
    redis.call('ZREMRANGEBYRANK', done, 0, -(keep + 1))
  end
end
return redis.call('RPOPLPUSH', wait, active)
