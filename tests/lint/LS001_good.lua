local half = math.floor(ARGV[1] / 2)
return redis.call('incrby', KEYS[1], half)
