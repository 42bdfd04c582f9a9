if tonumber(ARGV[2]) < 0 then
  return redis.error_reply('ERR a lease below 0')
end
redis.call('hincrby', KEYS[1], ARGV[1], 1)
return 1
