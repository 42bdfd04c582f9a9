local call = redis.call
call('hdel', ARGV[1], 'a')
return redis['call']('get', 'counter')
