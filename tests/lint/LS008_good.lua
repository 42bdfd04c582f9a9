local lock, owner, lease_ms = KEYS[1], ARGV[1], ARGV[2]
if redis.call('exists', lock) == 0 then
  redis.call('hset', lock, owner, 1)
  redis.call('pexpire', lock, lease_ms)
  return 1
end
if redis.call('hexists', lock, owner) == 1 then
  redis.call('hincrby', lock, owner, 1)     -- it is there already, and keeps its time to live
  return 1
end
local tries = redis.call('incr', KEYS[2])
if tries == 1 then
  redis.call('pexpire', KEYS[2], lease_ms)
end
return 0
