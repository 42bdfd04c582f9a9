-- release.lua: release of simple-redis-mutex: delete the lock and tell every waiter, if it is the caller's.
-- KEYS  1 lock, 2 channel of all locks      ARGV  1 value
-- Returns nil, whether it was the caller's or not.
local lock, channel = KEYS[1], KEYS[2]
local value = ARGV[1]
if redis.call('GET', lock) == value then
  redis.call('DEL', lock)
  redis.call('PUBLISH', channel, string.format('{ "key": "%s", "value": "%s" }', lock, value))
end
