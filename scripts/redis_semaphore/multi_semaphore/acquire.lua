-- acquire.lua: acquireSemaphore of redis-semaphore's MultiSemaphore: drop holders whose lease is over, then take the
-- permits asked for or none.
-- KEYS  1 semaphore (sorted set: identifier_N -> when its holder was last heard of)
-- ARGV  1 permits in all, 2 permits asked for, 3 identifier, 4 lease in milliseconds, 5 now by the client's clock
-- Returns 1, or 0 when too few are left.
local semaphore = KEYS[1]
local limit, permits, identifier = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local lease_ms, now_ms = tonumber(ARGV[4]), tonumber(ARGV[5])
redis.call('zremrangebyscore', semaphore, '-inf', now_ms - lease_ms)
if redis.call('zcard', semaphore) + permits > limit then
  return 0
end
local members = {}
for i = 0, permits - 1 do
  members[#members + 1] = now_ms
  members[#members + 1] = identifier .. '_' .. i
end
redis.call('zadd', semaphore, unpack(members))
redis.call('pexpire', semaphore, lease_ms)
return 1
