-- force_release.lua: delete the fair lock, whatever its owner; wake the head of the queue (Redisson since 3.45.0).
-- KEYS  1 lock, 2 queue, 3 deadlines, 4 prefix of the waiters' channels
-- ARGV  1 message, 2 now, by the client's clock, 3 publish command
-- Returns 1 if there was a lock, else 0.
local lock, queue, deadlines, channels = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local message, now_ms, publish = ARGV[1], tonumber(ARGV[2]), ARGV[3]

-- A head whose deadline has passed is considered dead. A head without a deadline stays.
while true do
  local first = redis.call('lindex', queue, 0)
  if first == false then
    break
  end
  local deadline_ms = redis.call('zscore', deadlines, first)
  if deadline_ms == false or tonumber(deadline_ms) > now_ms then
    break
  end
  redis.call('zrem', deadlines, first)
  redis.call('lpop', queue)
end

if redis.call('del', lock) == 0 then  -- locksim: allow LS020 a forced release deletes another owner's lock
  return 0
end
local first = redis.call('lindex', queue, 0)
if first ~= false then
  redis.call(publish, channels .. ':' .. first, message)
end
return 1
