-- force_release.lua: delete the fair lock, whatever its owner; wake the head of the queue (Redisson 3.13.3 to 3.23).
-- KEYS  1 lock, 2 queue, 3 deadlines, 4 prefix of the waiters' channels      ARGV  1 message, 2 now, by the client's
--       clock
-- Returns 1 if there was a lock, else 0.
local lock, queue, deadlines, channels = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local message, now_ms = ARGV[1], tonumber(ARGV[2])

while true do
  local first = redis.call('lindex', queue, 0)
  if first == false then
    break
  end
  local deadline_ms = tonumber(redis.call('zscore', deadlines, first))
  if deadline_ms <= now_ms then  -- locksim: allow LS010 as Redisson 3.13 has it: a head without a deadline is an error
    redis.call('zrem', deadlines, first)
    redis.call('lpop', queue)
  else
    break
  end
end

if redis.call('del', lock) == 0 then  -- locksim: allow LS020 a forced release deletes another owner's lock
  return 0
end
local first = redis.call('lindex', queue, 0)
if first ~= false then
  redis.call('publish', channels .. ':' .. first, message)
end
return 1
