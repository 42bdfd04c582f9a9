-- try_once.lua: take several named values of a group at once, if no other owner has one of them. The order of its
-- arguments is its own.
-- KEYS  1 group (hash: value -> owner, value:owner:expire_time, value:owner:lock_count)
-- ARGV  1 now, 2 lease in milliseconds, 3 owner, 4... values
-- Returns 1 when all are ours, else 0. An owner without a time at which it runs out is a script error.
local group = KEYS[1]
local now_ms, lease_ms, owner = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]

local existed = redis.call('exists', group) == 1
if existed then
  for i = 4, #ARGV do
    local other = redis.call('hget', group, ARGV[i])
    if other ~= false and other ~= owner then
      local until_ms = redis.call('hget', group, ARGV[i] .. ':' .. other .. ':expire_time')
      if tonumber(until_ms) > now_ms then  -- locksim: allow LS010 as Redisson has it
        return 0
      end
    end
  end
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
return 1
