redis.call('set', KEYS[1], 1, 'PX', 1000)
return redis.call('hset', KEYS[1], 'a', 1)
