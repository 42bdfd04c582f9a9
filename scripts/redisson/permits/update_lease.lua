-- update_lease.lua: set when a permit runs out; those that have done so come back first.
-- KEYS  1 semaphore, 2 permits that are out, 3 channel      ARGV  1 name, 2 when it shall run out, 3 now, 4 publish
--       command
-- Returns 1, or 0 if the permit is not out any more.
local semaphore, out, channel = KEYS[1], KEYS[2], KEYS[3]
local permit, until_ms, now_ms, publish = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local over = redis.call('zrangebyscore', out, 0, now_ms)  -- locksim: allow LS019 as Redisson has it
if #over > 0 then
  redis.call('zrem', out, unpack(over))
  local free = redis.call('incrby', semaphore, #over)
  if free > 0 then
    redis.call(publish, channel, free)
  end
end
if redis.call('zscore', out, permit) == false then
  return 0
end
redis.call('zadd', out, until_ms, permit)
return 1
