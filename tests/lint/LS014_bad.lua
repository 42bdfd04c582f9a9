for _, id in ipairs(redis.call('smembers', KEYS[1])) do
  redis.call('zrem', KEYS[2], id)
end
local first = redis.call('lrange', KEYS[3], 0, -1)
for i = 1, #first do
  redis.call('zrem', KEYS[2], first[i])
end
while redis.call('llen', KEYS[3]) > 0 do
  local all = redis.call('hgetall', KEYS[4])
  redis.call('ltrim', KEYS[3], #all, -1)
end
