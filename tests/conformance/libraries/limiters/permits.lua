-- permits.lua: permits of a rate, each remembered with its weight in packed bytes, as Redisson's limiter keeps them.
-- KEYS  1 rate, 2 value, 3 permits      ARGV  1 wanted, 2 rate, 3 interval ms, 4 now, 5 who
local rate, interval, now = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('hsetnx', KEYS[1], 'rate', rate)
redis.call('hsetnx', KEYS[1], 'interval', interval)
rate, interval = tonumber(redis.call('hget', KEYS[1], 'rate')), tonumber(redis.call('hget', KEYS[1], 'interval'))
assert(rate >= tonumber(ARGV[1]), 'more permits than the rate will ever give')
local current = redis.call('get', KEYS[2])
if current == false then
  redis.call('set', KEYS[2], rate)
  current = rate
else
  local released = 0
  for _, v in ipairs(redis.call('zrangebyscore', KEYS[3], 0, now - interval)) do
    local _, permits = struct.unpack('Bc0I', v)
    released = released + permits
  end
  if released > 0 then
    redis.call('zremrangebyscore', KEYS[3], 0, now - interval)
    current = math.min(tonumber(current) + released, rate)
    redis.call('set', KEYS[2], current)
  end
end
local result
if tonumber(current) < tonumber(ARGV[1]) then
  local first = redis.call('zrange', KEYS[3], 0, 0, 'withscores')
  result = first[2] and 3 + interval - (now - tonumber(first[2])) or -1
else
  redis.call('zadd', KEYS[3], now, struct.pack('Bc0I', string.len(ARGV[5]), ARGV[5], ARGV[1]))
  redis.call('decrby', KEYS[2], ARGV[1])
end
local ttl = redis.call('pttl', KEYS[1])
if ttl > 0 then
  redis.call('pexpire', KEYS[2], ttl)
  redis.call('pexpire', KEYS[3], ttl)
end
return result
