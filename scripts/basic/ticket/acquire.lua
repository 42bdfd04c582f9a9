-- acquire.lua: draw a number, and go in when it is called.
-- KEYS  1 lock      ARGV  1 owner
-- Returns 1 when the caller is inside, else 0.
local lock, owner = KEYS[1], ARGV[1]
local number = tonumber(redis.call('HGET', lock, owner))
if not number then
  number = redis.call('HINCRBY', lock, 'next', 1)
  redis.call('HSET', lock, owner, number)
end
local called = tonumber(redis.call('HGET', lock, 'called')) or 1
if number ~= called then
  return 0
end
redis.call('HSET', lock, 'inside', owner)
return 1
