-- release_all.lua: give several permits back, all of them or none. So the client takes back an acquire that no replica
-- is known to have.
-- KEYS  1 semaphore, 2 channel, 3 permits that are out      ARGV  1 permits, 2 now, 3 publish command, 4... names
-- Returns how many were given back; 0 if one of them is not out, or has run out.
local semaphore, channel, out = KEYS[1], KEYS[2], KEYS[3]
local now_ms, publish = ARGV[2], ARGV[3]

for i = 4, #ARGV do
  local until_ms = redis.call('zscore', out, ARGV[i])
  if until_ms == false or tonumber(until_ms) <= tonumber(now_ms) then
    return 0
  end
end
local over = redis.call('zrangebyscore', out, 0, now_ms)  -- locksim: allow LS019 as Redisson has it
if #over > 0 then
  redis.call('zrem', out, unpack(over))
  local free = redis.call('incrby', semaphore, #over)
  if free > 0 then
    redis.call(publish, channel, free)
  end
end
local given = redis.call('zrem', out, unpack(ARGV, 4))
redis.call('incrby', semaphore, given)
redis.call(publish, channel, given)
return given
