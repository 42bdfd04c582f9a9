-- move_to_active.lua: takes the next job: promotes what is due, asks the limiter, locks the job for its worker and tells what it is.
-- KEYS  1 wait, 2 active, 3 prioritized, 4 delayed, 5 limiter      ARGV  1 now, 2 worker, 3 lock ms, 4 jobs per period (0: any), 5 period ms
-- Returns the job and its fields, or {false, ms to wait}.
local wait, active, prioritized, delayed, limiter = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local now, worker, lock_ms, per_period, period_ms = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
for _, job in ipairs(redis.call('ZRANGEBYSCORE', delayed, 0, (now + 1) * 4096 - 1, 'LIMIT', 0, 1000)) do
  redis.call('ZREM', delayed, job)
  redis.call('LPUSH', wait, job)
end
if per_period > 0 and tonumber(redis.call('GET', limiter) or 0) >= per_period then
  local left = redis.call('PTTL', limiter)
  if left > 0 then return { false, left } end
  if left ~= 0 then redis.call('DEL', limiter) end
end
local job = redis.call('RPOPLPUSH', wait, active)
if not job then
  local popped = redis.call('ZPOPMIN', prioritized)
  if #popped > 0 then
    job = popped[1]
    redis.call('LPUSH', active, job)
  end
end
if not job then
  local first = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')
  return { false, first[2] and tonumber(first[2]) / 4096 - now or -1 }
end
if per_period > 0 and redis.call('INCR', limiter) == 1 then redis.call('PEXPIRE', limiter, period_ms) end
if tonumber(lock_ms) > 0 then redis.call('SET', 'lock:' .. job, worker, 'PX', lock_ms) end
local key = 'job:' .. job
redis.call('HSET', key, 'began', now, 'worker', worker)
redis.call('HINCRBY', key, 'tries', 1)
return { job, redis.call('HMGET', key, 'owner', 'data', 'tries', 'nothing') }
