-- refill.lua: adds to the reservoir, and tells every client.
-- KEYS  1 settings      ARGV  1 now, 2 by how much
local has = redis.call('hexists', KEYS[1], 'reservoir')
if has == 0 then
  redis.call('hset', KEYS[1], 'reservoir', ARGV[2])
  return ARGV[2]
end
local left = redis.call('hincrbyfloat', KEYS[1], 'reservoir', ARGV[2])
redis.call('publish', 'calls', 'capacity:' .. left)
return { left, tonumber(left), tonumber(left) * 1.5 }
