return redis.call('llen', KEYS[1])
