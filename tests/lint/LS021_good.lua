if redis.call('llen', KEYS[1]) > 9 then
  return 0
end
return redis.call('exists', KEYS[1])
