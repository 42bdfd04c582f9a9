if redis.call('get', KEYS[1]) == false then
  return 1
end
if ARGV[1] == '1' or redis.call('exists', KEYS[1]) == 1 then
  return 2
end
if redis.call('type', KEYS[1]).ok == 'hash' then
  return 3
end
return 0
