redis.call('set', KEYS[1], 1, 'PX', 1000)
if redis.call('get', KEYS[2]) == '1' then return redis.call('hget', KEYS[2], 'a') end
return redis.call('hset', KEYS[1], 'a', 1)
