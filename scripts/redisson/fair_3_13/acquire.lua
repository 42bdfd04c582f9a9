-- acquire.lua: take the fair lock in the order of asking, or queue for it (seed 003: Redisson 3.13.3 to 3.23).
-- KEYS  1 lock (hash: owner -> holds), 2 queue (list of owners), 3 deadlines (sorted set: owner -> instant)
-- ARGV  1 lease in milliseconds, 2 owner, 3 the longest wait in milliseconds, 4 now, by the client's clock
-- Returns nil when the lock is ours; otherwise how many milliseconds to wait before asking again.
-- Kept as the seed prints it, two weaknesses included: no score is tested for nil, and a queued owner is told
-- deadline - wait - now, which turns negative while a watchdog keeps the lock alive.
local lock, queue, deadlines = KEYS[1], KEYS[2], KEYS[3]
local lease_ms, owner, wait_ms, now_ms = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])

-- A head whose deadline has passed is considered dead.
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

if redis.call('exists', lock) == 0
    and (redis.call('exists', queue) == 0 or redis.call('lindex', queue, 0) == owner) then
  redis.call('lpop', queue)
  redis.call('zrem', deadlines, owner)
  -- Each waiter moves up by one, so each deadline comes nearer by one wait.
  local waiting = redis.call('zrange', deadlines, 0, -1)
  for i = 1, #waiting do  -- locksim: allow LS014 as Redisson does it: as many rounds as wait
    redis.call('zincrby', deadlines, -wait_ms, waiting[i])
  end
  redis.call('hset', lock, owner, 1)
  redis.call('pexpire', lock, lease_ms)
  return nil
end

if redis.call('hexists', lock, owner) == 1 then
  redis.call('hincrby', lock, owner, 1)
  redis.call('pexpire', lock, lease_ms)
  return nil
end

local queued_ms = redis.call('zscore', deadlines, owner)
if queued_ms ~= false then
  return queued_ms - wait_ms - now_ms
end

-- Queue behind the last waiter: our deadline is its deadline plus one wait, or the lock's expiry plus one wait.
local last = redis.call('lindex', queue, -1)
local ttl_ms
if last ~= false and last ~= owner then
  ttl_ms = tonumber(redis.call('zscore', deadlines, last)) - now_ms  -- locksim: allow LS010 as Redisson 3.13 has it
else
  ttl_ms = redis.call('pttl', lock)
end
if redis.call('zadd', deadlines, ttl_ms + wait_ms + now_ms, owner) == 1 then
  redis.call('rpush', queue, owner)
end
return ttl_ms
