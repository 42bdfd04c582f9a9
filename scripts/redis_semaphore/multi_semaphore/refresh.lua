-- refresh.lua: refreshSemaphore of redis-semaphore's MultiSemaphore: drop holders whose lease is over, then note that
-- the caller is still there, if its first permit is. The others come back with it.
-- KEYS  1 semaphore (sorted set: identifier_N -> when its holder was last heard of)
-- ARGV  1 permits in all (unused), 2 the caller's permits, 3 identifier, 4 lease in milliseconds, 5 now by the
-- client's clock
-- Returns 1, or 0 when the caller's first permit is gone.
local semaphore = KEYS[1]
local permits, identifier = tonumber(ARGV[2]), ARGV[3]
-- locksim: allow LS007 ARGV[1] is the limit, which a refresh does not look at
local lease_ms, now_ms = tonumber(ARGV[4]), tonumber(ARGV[5])
redis.call('zremrangebyscore', semaphore, '-inf', now_ms - lease_ms)
if not redis.call('zscore', semaphore, identifier .. '_0') then
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
