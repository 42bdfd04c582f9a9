-- penalty.lua: takes points off or puts them on, and blocks for a while where asked.
-- KEYS  1 counter      ARGV  1 points, 2 block ms (0: not)
local points = redis.call('decrby', KEYS[1], ARGV[1])
if ARGV[2] ~= '0' then
  if redis.call('pttl', KEYS[1]) < tonumber(ARGV[2]) then redis.call('set', KEYS[1], points, 'px', ARGV[2], 'xx', 'get') end
  return { points, redis.call('pexpiretime', KEYS[1]) }
end
redis.call('persist', KEYS[1])
return points
