-- queue.lua: stands in line for a digest, unless the line or the lock is full.
-- KEYS  1 digest, 2 queued, 3 primed, 4 locked, 5 info, 6 digests      ARGV  1 job, 2 how many may run, 3 lock ms, 4 now
local digest, queued, primed, locked, info, digests = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local job, limit, lock_ms, now = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
if redis.call('HEXISTS', locked, job) == 1 then return job end
local other = redis.call('GET', digest)
if other and other == job then return job end
if redis.call('LLEN', queued) + redis.call('LLEN', primed) >= limit or redis.call('HLEN', locked) >= limit then
  redis.log(redis.LOG_DEBUG, 'full: ' .. digest)
  return other
end
redis.call('SET', digest, job)
redis.call('LREM', queued, -1, job)
redis.call('LPUSH', queued, job)
if lock_ms > 0 then
  redis.call('PEXPIRE', digest, lock_ms)
  redis.call('PEXPIRE', queued, lock_ms)
end
redis.call('SET', info, cjson.encode({ tonumber(now), limit }))
redis.call('ZADD', digests, now, digest)
return job
