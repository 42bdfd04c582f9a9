local call = redis.call
call('hdel', KEYS[1], 'a')
return redis['call']('get', KEYS[2])
