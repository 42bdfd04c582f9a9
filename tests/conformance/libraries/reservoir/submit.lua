-- submit.lua: may a job wait here, or is the line as long as it may get?
-- KEYS  1 settings, 2 clients, 3 running      ARGV  1 now, 2 client, 3 weight, 4 longest line
-- Returns {reached the high water, blocked, wait ms as text}.
local settings = redis.call('hmget', KEYS[1], 'at_once', 'next', 'blocked', 'reservoir')
local at_once, next_at = tonumber(settings[1]), tonumber(settings[2])
if not at_once then return redis.error_reply('SETTINGS_KEY_NOT_FOUND') end
if settings[3] and tonumber(settings[3]) > tonumber(ARGV[1]) then return { true, true, '0' } end
local queued = 0
for _, client in ipairs(redis.call('zrange', KEYS[2], 0, -1)) do
  queued = queued + (tonumber(redis.call('hget', KEYS[1], 'queued:' .. client)) or 0)
end
local high = queued >= tonumber(ARGV[4]) and tonumber(ARGV[3]) > at_once
if high then
  redis.call('hset', KEYS[1], 'blocked', ARGV[1] + 5 * 100)
  redis.call('publish', 'calls', 'blocked:' .. ARGV[2])
end
redis.call('hincrby', KEYS[1], 'queued:' .. ARGV[2], 1)
return { high, false, tostring(math.max(next_at - ARGV[1], 0) / 3), redis.call('hstrlen', KEYS[1], 'next') }
