-- fixed_window.lua: so many calls in a window that begins with the first of them.
-- KEYS  1 counter      ARGV  1 points, 2 window ms      Returns {points so far, ms left}.
redis.call('set', KEYS[1], 0, 'PX', ARGV[2], 'NX')
local sum = redis.call('incrby', KEYS[1], ARGV[1])
local left = redis.call('pttl', KEYS[1])
if left == -1 then
  redis.call('pexpire', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return { sum, left }
