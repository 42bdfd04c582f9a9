if redis.call('llen', KEYS[1]) > 9 then
  return false
end
return redis.call('exists', KEYS[1]) == 1
