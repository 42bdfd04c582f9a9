local function reset()
  redis.call('HSET', KEYS[1], 'start', ARGV[1], 'count', 1)
  return redis.call('EXPIRE', KEYS[1], ARGV[2])
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  return { reset(), ARGV[3] - 1 }
end
return { 1, ARGV[3] - redis.call('HGET', KEYS[1], 'count') }
