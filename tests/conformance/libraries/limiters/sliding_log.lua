-- sliding_log.lua: every call of the last while is kept, and counted.
-- KEYS  1 log      ARGV  1 now, 2 window ms, 3 limit, 4 caller      Returns {let in, in the window, when the oldest leaves}.
local now, window, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - window)
local count = redis.call('ZCARD', KEYS[1])
local allowed = count < limit
if allowed then
  redis.call('ZADD', KEYS[1], now, now .. '-' .. ARGV[4] .. '-' .. count)
  redis.call('PEXPIRE', KEYS[1], window)
  count = count + 1
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return { allowed and 1 or 0, count, oldest[2] or '-' }
