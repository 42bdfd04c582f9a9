-- concurrency.lua: so many at the same time, each of which is forgotten after its lease.
-- KEYS  1 inflight      ARGV  1 now, 2 limit, 3 lease ms, 4 who, 5 1: leave
if ARGV[5] == '1' then return redis.call('zrem', KEYS[1], ARGV[4]) end
redis.call('zremrangebyscore', KEYS[1], '-inf', ARGV[1] - ARGV[3])
if redis.call('zrank', KEYS[1], ARGV[4]) or redis.call('zcard', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('zadd', KEYS[1], ARGV[1], ARGV[4])
  redis.call('pexpire', KEYS[1], ARGV[3])
  return { redis.call('zrank', KEYS[1], ARGV[4]), redis.call('zscore', KEYS[1], ARGV[4]) }
end
return redis.status_reply('FULL')
