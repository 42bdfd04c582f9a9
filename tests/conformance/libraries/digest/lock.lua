-- lock.lua: takes the lock for the job at the head of the line.
-- KEYS  1 digest, 2 queued, 3 primed, 4 locked, 5 info, 6 digests      ARGV  1 job, 2 how many may run, 3 lock ms, 4 now, 5 prime first
local digest, queued, primed, locked, info, digests = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local job, limit, lock_ms, now = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
for _ = 1, tonumber(ARGV[5]) do redis.call('LMOVE', queued, primed, 'RIGHT', 'LEFT') end
if redis.call('HEXISTS', locked, job) == 1 then
  redis.call('LREM', queued, -1, job)
  redis.call('LREM', primed, 1, job)
  return job
end
if redis.call('HLEN', locked) >= limit then return false end
if redis.call('LREM', primed, 1, job) == 0 and redis.call('LLEN', primed) > 0 then return nil end
redis.call('HSET', locked, job, now)
redis.call('LREM', queued, -1, job)
redis.call('SET', digest, job)
if lock_ms > 0 then
  redis.call('PEXPIRE', locked, lock_ms)
  redis.call('PEXPIRE', digest, lock_ms)
end
redis.call('ZADD', digests, now, digest)
local told = redis.call('GET', info)
return { job, told and cjson.decode(told)[2] or false }
