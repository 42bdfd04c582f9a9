-- touch.lua: warlock.touch of node-redis-warlock: let the lock live for another lease from now, if it is the caller's.
-- KEYS  1 lock, 2 lease in milliseconds, 3 id: the last two are no keys, but that is how they are sent
-- Returns "OK", or 0 when it is not.
local lock, lease_ms, id = KEYS[1], KEYS[2], KEYS[3]
if redis.call('GET', lock) == id then
  return redis.call('SET', lock, id, 'PX', lease_ms, 'XX')
end
return 0
