redis.call('hdel', KEYS[1], 'a')  -- locksim: allow LS020 there is nothing to allow here
return redis.call('del', KEYS[1])  -- locksim: allow LS020
