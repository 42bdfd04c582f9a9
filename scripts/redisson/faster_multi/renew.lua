-- renew.lua: give values of a group a full lease again, one after the other, up to one that its owner does not hold
-- any more.
-- KEYS  1 group      ARGV  1 lease in milliseconds, 2 now, 3 owner, 4... values
-- Returns 1 when all were renewed, else 0. A time that lies further ahead stays; an owner without one is a script
-- error.
local group = KEYS[1]
local lease_ms, now_ms, owner = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
if redis.call('exists', group) == 0 then
  return 0
end
for i = 4, #ARGV do
  if redis.call('hget', group, ARGV[i]) ~= owner then
    return 0
  end
  local at = ARGV[i] .. ':' .. owner .. ':expire_time'
  if tonumber(redis.call('hget', group, at)) < now_ms + lease_ms then  -- locksim: allow LS010 as Redisson has it
    redis.call('hset', group, at, now_ms + lease_ms)
  end
end
if redis.call('pttl', group) < lease_ms then
  redis.call('pexpire', group, lease_ms)
end
return 1
