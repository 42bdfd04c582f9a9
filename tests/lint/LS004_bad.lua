local lock, ttl_ms = KEYS[1], ARGV[1]
return redis.call('pttl', lock)
