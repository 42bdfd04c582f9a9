-- unlock.lua: the job has ended: lets the next one in, and forgets what is left when there is none.
-- KEYS  1 digest, 2 queued, 3 primed, 4 locked, 5 info, 6 digests      ARGV  1 job, 2 how long to remember, ms, 3 now, 4 forget at once
local digest, queued, primed, locked, info, digests = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local job, remember_ms = ARGV[1], tonumber(ARGV[2])
local held = redis.call('HGETALL', locked)
if #held == 0 and redis.call('EXISTS', digest) == 0 then redis.call('LPUSH', queued, '1') end
redis.call('LREM', queued, -1, job)
redis.call('LREM', primed, -1, job)
if redis.call('HDEL', locked, job) == 0 and #held > 0 then
  return redis.call('HLEN', locked) > 0 and held[1] or nil
end
if ARGV[4] == '1' then
  redis.call('UNLINK', digest, info)
elseif remember_ms > 0 then
  redis.call('PEXPIRE', digest, remember_ms)
end
if redis.call('LLEN', primed) == 0 and redis.call('HLEN', locked) == 0 then redis.call('ZREM', digests, digest) end
if redis.call('LLEN', primed) == 0 then
  redis.call('LPUSH', queued, '1')
  redis.call('PEXPIRE', queued, 5000)
end
return job
