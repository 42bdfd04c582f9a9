-- release.lua: give back one hold; the last one deletes the lock and tells the waiters (seed 004, as printed there).
-- KEYS  1 lock      ARGV  1 lease in milliseconds while holds remain, 2 owner
-- Returns 1 if `owner` had a hold to give back, nil if not. It does not say how many holds remain.
-- No Redis has a function redis.publish: the last release deletes the lock, then fails. The mended twin is beside it.
local lock = KEYS[1]
local lease_ms, owner = ARGV[1], ARGV[2]
if redis.call('hexists', lock, owner) == 0 then
  return nil
end
if redis.call('hincrby', lock, owner, -1) > 0 then
  redis.call('pexpire', lock, lease_ms)
else
  redis.call('del', lock)
  -- locksim: allow LS002 as the seed prints it; scenarios show what comes of it
  redis.publish('unlock_channel', 'release')
end
return 1
