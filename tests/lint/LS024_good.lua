redis.call('set', KEYS[1], 1, 'PX', 1000)
redis.call('del', KEYS[2])
return redis.call('hset', KEYS[2], 'a', 1)
