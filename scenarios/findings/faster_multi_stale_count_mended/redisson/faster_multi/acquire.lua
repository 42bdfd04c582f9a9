-- acquire.lua: take several named values of a group at once, or learn how long to wait for those of others.
-- KEYS  1 group (hash: value -> owner, value:owner:expire_time, value:owner:lock_count)
-- ARGV  1 lease in milliseconds, 2 owner, 3 now, 4... values
-- Returns nil when all are ours; otherwise the milliseconds until the last of them runs out.
local group = KEYS[1]
local lease_ms, owner, now_ms = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])

local wait_ms
for i = 4, #ARGV do
  local other = redis.call('hget', group, ARGV[i])
  if other ~= false and other ~= owner then
    local until_ms = redis.call('hget', group, ARGV[i] .. ':' .. other .. ':expire_time')
    local left_ms = until_ms ~= false and tonumber(until_ms) - now_ms or 0
    if left_ms > 0 and (wait_ms == nil or left_ms > wait_ms) then
      wait_ms = left_ms
    end
  end
end
if wait_ms ~= nil then
  return wait_ms
end
for i = 4, #ARGV do
  local hold = ARGV[i] .. ':' .. owner
  local until_ms = redis.call('hget', group, hold .. ':expire_time')
  if redis.call('hget', group, ARGV[i]) ~= owner or until_ms == false or tonumber(until_ms) < now_ms then
    redis.call('hdel', group, hold .. ':lock_count')           -- our mend: of a hold that is over nothing counts
  end
  redis.call('hset', group, ARGV[i], owner)
  redis.call('hincrby', group, hold .. ':lock_count', 1)
  if until_ms == false or tonumber(until_ms) < now_ms + lease_ms then
    redis.call('hset', group, hold .. ':expire_time', string.format('%.0f', now_ms + lease_ms))
  end
end
if redis.call('pttl', group) < lease_ms then
  redis.call('pexpire', group, lease_ms)
end
return nil
