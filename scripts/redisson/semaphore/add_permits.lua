-- add_permits.lua: make the permits of the semaphore more, or (negative) fewer.
-- KEYS  1 semaphore, 2 channel      ARGV  1 permits, 2 publish command
local semaphore, channel = KEYS[1], KEYS[2]
local more, publish = ARGV[1], ARGV[2]
local sum = (tonumber(redis.call('get', semaphore)) or 0) + tonumber(more)
redis.call('set', semaphore, sum)
redis.call(publish, channel, sum)
