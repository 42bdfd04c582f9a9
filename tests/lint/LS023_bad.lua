local lease_ms, lease_s = ARGV[1], ARGV[2]
redis.call('expire', KEYS[1], lease_ms)
redis.call('pexpire', KEYS[2], tonumber(lease_s))
if redis.call('set', KEYS[3], 1, 'NX', 'PX', 30) then
  return 1
end
return 0
