redis.call('hset', KEYS[1], 'a', 1)
return #KEYS
