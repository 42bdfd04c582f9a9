if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
  redis.call('publish', KEYS[2], 'free')
end
redis.log(redis.LOG_NOTICE, 'done')
return redis.call('time')
