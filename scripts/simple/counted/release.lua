-- release.lua: give back one hold; the last one deletes the lock (seed 002, the reentrant lock).
-- KEYS  1 lock      ARGV  1 owner's unique value
-- Returns 1 if `owner` had a hold to give back, else 0. It does not say how many holds remain.
local lock = KEYS[1]
local owner = ARGV[1]
if redis.call('hexists', lock, owner) == 1 then
  if redis.call('hincrby', lock, owner, -1) < 1 then
    redis.call('del', lock)
  end
  return 1
end
return 0
