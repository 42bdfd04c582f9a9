-- acquire.lua: take several named values of a group at once, or learn how long to wait for those of others.
-- KEYS  1 group (hash: value -> owner, value:owner:expire_time, value:owner:lock_count)
-- ARGV  1 lease in milliseconds, 2 now, 3 owner, 4... values
-- Returns nil when all are ours; otherwise the milliseconds until the last of them runs out.
local group = KEYS[1]
local lease_ms, now_ms, owner = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]

local existed = redis.call('exists', group) == 1
local until_ms
if existed then
  for i = 4, #ARGV do
    local other = redis.call('hget', group, ARGV[i])
    if other ~= false and other ~= owner then
      local theirs_ms = redis.call('hget', group, ARGV[i] .. ':' .. other .. ':expire_time')
      if theirs_ms ~= false and tonumber(theirs_ms) > now_ms and
          (until_ms == nil or tonumber(theirs_ms) > until_ms) then
        until_ms = tonumber(theirs_ms)
      end
    end
  end
end
if until_ms ~= nil then
  return until_ms - now_ms
end
for i = 4, #ARGV do
  local hold = ARGV[i] .. ':' .. owner
  redis.call('hset', group, ARGV[i], owner)  -- locksim: allow LS008 a group without a TTL stays without one
  local ours_ms = redis.call('hget', group, hold .. ':expire_time')
  if ours_ms == false or tonumber(ours_ms) < now_ms + lease_ms then
    redis.call('hset', group, hold .. ':expire_time', now_ms + lease_ms)
  end
  redis.call('hincrby', group, hold .. ':lock_count', 1)
end
-- A group without a TTL stays without one.
local ttl_ms = existed and redis.call('pttl', group) or 0
if not existed or (ttl_ms > 0 and ttl_ms < lease_ms) then
  redis.call('pexpire', group, lease_ms)
end
return nil
