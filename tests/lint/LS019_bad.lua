redis.replicate_commands()
redis.call('hmset', KEYS[1], 'a', 1)
return table.getn(KEYS)
