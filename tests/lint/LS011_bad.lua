if redis.call('get', KEYS[1]) == nil then
  return 1
end
if ARGV[1] == 1 or redis.call('exists', KEYS[1]) == true then
  return 2
end
if redis.call('type', KEYS[1]) == 'hash' then
  return 3
end
return 0
