return redis.call('del', KEYS[1])
