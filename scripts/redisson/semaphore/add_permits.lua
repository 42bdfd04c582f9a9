-- add_permits.lua: make the permits of the semaphore more, or (negative) fewer.
-- KEYS  1 semaphore, 2 channel      ARGV  1 permits, 2 publish command
local semaphore, channel = KEYS[1], KEYS[2]
local more, publish = ARGV[1], ARGV[2]
local free = redis.call('get', semaphore)
local sum = tonumber(free == false and 0 or free) + tonumber(more)
redis.call('set', semaphore, sum)
redis.call(publish, channel, sum)
