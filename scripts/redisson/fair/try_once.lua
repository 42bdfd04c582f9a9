-- try_once.lua: take the fair lock if that is possible at once; never queue (Redisson since 3.45.0).
-- KEYS  1 lock (hash: owner -> holds), 2 queue (list of owners), 3 deadlines (sorted set: owner -> instant)
-- ARGV  1 lease in milliseconds, 2 owner, 3 now, by the client's clock, 4 the wait by which the queue moves up, in
-- milliseconds
-- Returns nil when the lock is ours, else 1.
local lock, queue, deadlines = KEYS[1], KEYS[2], KEYS[3]
local lease_ms, owner, now_ms, wait_ms = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])

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
return 1
