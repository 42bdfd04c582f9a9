-- refresh.lua: refreshSemaphore of redis-semaphore: drop holders whose lease is over, then note that the caller is
-- still there, if it is.
-- KEYS  1 semaphore (sorted set: identifier -> when its holder was last heard of)
-- ARGV  1 permits in all (unused), 2 identifier, 3 lease in milliseconds, 4 now by the client's clock
-- Returns 1, or 0 when the caller's permit is gone.
local semaphore, identifier = KEYS[1], ARGV[2]
-- locksim: allow LS007 ARGV[1] is the limit, which a refresh does not look at
local lease_ms, now_ms = tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('zremrangebyscore', semaphore, '-inf', now_ms - lease_ms)
if not redis.call('zscore', semaphore, identifier) then
  return 0
end
redis.call('zadd', semaphore, now_ms, identifier)
redis.call('pexpire', semaphore, lease_ms)
return 1
