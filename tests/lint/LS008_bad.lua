local lock, owner, lease_ms = KEYS[1], ARGV[1], ARGV[2]
if redis.call('exists', lock) == 0 then
  redis.call('hset', lock, owner, 1)
  if ARGV[3] == 'timed' then
    redis.call('pexpire', lock, lease_ms)
  end
  return 1
end
return 0
