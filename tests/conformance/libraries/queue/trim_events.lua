-- trim_events.lua: makes the stream as short as asked for, or forgets it.
-- KEYS  1 events      ARGV  1 how many to keep, 2 `=` or `~`
if ARGV[1] == '0' then return redis.call('DEL', KEYS[1]) end
return redis.call('XTRIM', KEYS[1], 'MAXLEN', ARGV[2], ARGV[1])
