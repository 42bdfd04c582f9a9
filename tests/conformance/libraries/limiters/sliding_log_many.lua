-- sliding_log_many.lua: the same with seconds that have fractions, for several points in one call.
-- KEYS  1 log      ARGV  1 now in seconds, 2 window in seconds, 3 limit, 4 points, 5 caller
local now, window, points = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[4])
redis.call('zremrangebyscore', KEYS[1], '-inf', now - window)
local used = redis.call('zcount', KEYS[1], '-inf', '+inf')
if used + points > tonumber(ARGV[3]) then
  local first = redis.call('zrangebyscore', KEYS[1], '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  return { 0, tostring(first[2] and first[2] + window - now or window) }
end
for i = 1, points do redis.call('zadd', KEYS[1], now, ARGV[5] .. '/' .. tostring(now) .. '/' .. i + used) end
redis.call('expire', KEYS[1], math.ceil(window))
return { 1, redis.call('zrevrangebyscore', KEYS[1], now, '-inf', 'LIMIT', 0, 2) }
