-- expired.lua: keeps a job's digest until later, but never shorter than it was.
-- KEYS  1 digests, 2 locked      ARGV  1 until, 2 job
local since = redis.call('HGET', KEYS[2], ARGV[2])
if not since then return { redis.call('ZADD', KEYS[1], 'GT', 'CH', ARGV[1], ARGV[2]), false } end
local until_ms = tonumber(since) < tonumber(ARGV[1]) and ARGV[1] or since
return { redis.call('ZADD', KEYS[1], 'GT', 'CH', until_ms, ARGV[2]), redis.call('ZCOUNT', KEYS[1], '(' .. since, '+inf') }
