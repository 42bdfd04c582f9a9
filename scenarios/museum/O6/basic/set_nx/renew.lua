-- renew.lua: write one's own value and a full lease, whoever's value stands there.
-- KEYS  1 lock      ARGV  1 the value that the caller's acquire stored, 2 lease in milliseconds
-- Returns 1.
local lock, token, lease_ms = KEYS[1], ARGV[1], ARGV[2]
redis.call('SET', lock, token, 'PX', lease_ms)
return 1
