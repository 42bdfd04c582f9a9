if redis.call('exists', KEYS[1]) == 0 then
  return 1
end
return 0
