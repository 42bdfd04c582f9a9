redis.call('pexpire', KEYS[1], ARGV[1] / 3)
return ARGV[1] / 3
