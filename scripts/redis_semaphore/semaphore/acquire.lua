-- acquire.lua: acquireSemaphore of redis-semaphore: drop holders whose lease is over, then take a permit if one is
-- left.
-- KEYS  1 semaphore (sorted set: identifier -> when its holder was last heard of)
-- ARGV  1 permits in all, 2 identifier, 3 lease in milliseconds, 4 now by the client's clock
-- Returns 1, or 0 when all permits are out.
local semaphore = KEYS[1]
local limit, identifier = tonumber(ARGV[1]), ARGV[2]
local lease_ms, now_ms = tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('zremrangebyscore', semaphore, '-inf', now_ms - lease_ms)
if redis.call('zcard', semaphore) >= limit then
  return 0
end
redis.call('zadd', semaphore, now_ms, identifier)
redis.call('pexpire', semaphore, lease_ms)
return 1
