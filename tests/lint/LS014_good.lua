for _, id in ipairs(redis.call('lrange', KEYS[1], 0, 9)) do
  redis.call('zrem', KEYS[2], id)
end
local count = 0
for _ in pairs(redis.call('smembers', KEYS[3])) do
  count = count + 1
end
return count
