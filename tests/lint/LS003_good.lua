local owner = ARGV[1]
return redis.call('hexists', KEYS[1], owner)
