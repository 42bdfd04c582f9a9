local n = redis.call('get', KEYS[1]) + 1
if tonumber(redis.call('hget', KEYS[2], ARGV[1])) > n then
  return 'n' .. redis.call('lindex', KEYS[3], 0)
end
return n
