return redis.call('hget', KEYS[2], ARGV[2])
