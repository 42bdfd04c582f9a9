-- release.lua: give permits back and tell how many there are now. Any client may: the semaphore does not record who
-- took them.
-- KEYS  1 semaphore, 2 channel      ARGV  1 permits, 2 publish command
local semaphore, channel = KEYS[1], KEYS[2]
local given, publish = ARGV[1], ARGV[2]
redis.call(publish, channel, redis.call('incrby', semaphore, given))
