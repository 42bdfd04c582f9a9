return redis.call('hget', KEYS[1], ARGV[1])
