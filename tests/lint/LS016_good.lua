redis.call('pexpire', KEYS[1], math.floor(ARGV[1] / 3))
return tostring(ARGV[1] / 3)
