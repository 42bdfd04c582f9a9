-- fixed_window_seconds.lua: the same in whole seconds, and the time to live only when the counter is new.
-- KEYS  1 counter      ARGV  1 amount, 2 window in seconds
local current = redis.call('incrby', KEYS[1], ARGV[1])
if tonumber(current) == tonumber(ARGV[1]) then redis.call('expire', KEYS[1], ARGV[2]) end
return { current, redis.call('ttl', KEYS[1]) }
