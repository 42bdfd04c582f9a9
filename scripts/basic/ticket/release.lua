-- release.lua: leave, and call the next number.
-- KEYS  1 lock      ARGV  1 owner
-- Returns 1, or 0 when the caller is not inside.
local lock, owner = KEYS[1], ARGV[1]
if redis.call('HGET', lock, 'inside') ~= owner then
  return 0
end
local number = tonumber(redis.call('HGET', lock, owner))
redis.call('HDEL', lock, owner, 'inside')
redis.call('HSET', lock, 'called', number + 1)  -- locksim: allow LS010 the holder has a number
return 1
