local lock = KEYS[1]
return redis.call('pttl', lock)
