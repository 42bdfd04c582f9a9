redis.call('hset', KEYS[1], ARGV[1])
redis.call('pexpier', KEYS[1], ARGV[2])
return redis.call('blpop', KEYS[1], 0)
