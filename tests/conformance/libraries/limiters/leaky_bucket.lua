-- leaky_bucket.lua: what was poured in runs out with the server's own clock.
-- KEYS  1 bucket      ARGV  1 capacity, 2 leaks per second, 3 poured in
redis.replicate_commands()
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local level, at = unpack(redis.call('HMGET', KEYS[1], 'level', 'seen'))
level, at = tonumber(level or '0'), tonumber(at or now)
level = math.max(0, level - (now - at) * ARGV[2])
if level + ARGV[3] > tonumber(ARGV[1]) then return { -1, tostring(level) } end
redis.call('HSET', KEYS[1], 'level', level + ARGV[3], 'seen', now)
redis.call('EXPIRE', KEYS[1], math.ceil(ARGV[1] / ARGV[2]) + 1)
return { math.floor(ARGV[1] - level - ARGV[3]), redis.call('HGET', KEYS[1], 'level') }
