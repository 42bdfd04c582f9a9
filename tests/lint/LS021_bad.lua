if redis.call('llen', KEYS[1]) > 9 then
  return false
end
if redis.call('llen', KEYS[2]) > 9 then
  return 0
end
return redis.call('exists', KEYS[1]) == 1
