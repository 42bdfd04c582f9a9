local n = (redis.call('get', KEYS[1]) or 0) + 1
local held = redis.call('hget', KEYS[2], ARGV[1])
if held and tonumber(held) > n then
  return 'n' .. (redis.call('lindex', KEYS[3], 0) or '')
end
return n
