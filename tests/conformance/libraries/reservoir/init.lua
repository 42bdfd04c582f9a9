-- init.lua: makes the limiter's settings, or takes on those that are there.
-- KEYS  1 settings, 2 running, 3 weights, 4 clients
-- ARGV  1 now, 2 1: from scratch, 3 at once, 4 min ms between, 5 refill each ms, 6 version, 7 reservoir
redis.replicate_commands()
local now = tonumber(ARGV[1])
if ARGV[2] == '1' then redis.call('del', KEYS[1], KEYS[2], KEYS[3], KEYS[4]) end
if redis.call('exists', KEYS[1]) == 0 then
  redis.call('hmset', KEYS[1], 'version', ARGV[6], 'at_once', ARGV[3], 'min_ms', ARGV[4], 'refill_ms', ARGV[5], 'reservoir', ARGV[7],
             'next', now, 'refilled', now, 'done', 0)
end
if tonumber(redis.call('hget', KEYS[1], 'version')) == -1 then
  redis.call('hset', KEYS[1], 'version', 1)
  redis.call('hsetnx', KEYS[1], 'done', 0)
  redis.call('hsetnx', KEYS[1], 'migrated', now)
end
local keys = redis.call('hkeys', KEYS[1])
return { #keys, redis.call('hmget', KEYS[1], 'version', 'at_once', 'migrated') }
