-- acquire.lua: queue for the fair lock, and take it when it is free and our turn (seed 004's sketch, completed).
-- KEYS  1 lock (hash: owner -> holds), 2 queue (list of owners, first the one whose turn it is), 3 our node (hash:
-- state)
-- ARGV  1 lease in milliseconds, 2 owner
-- Returns 1 when the lock is ours, 0 while we wait.
local lock, queue, node = KEYS[1], KEYS[2], KEYS[3]
local lease_ms, owner = ARGV[1], ARGV[2]

if redis.call('hexists', lock, owner) == 1 then
  redis.call('hincrby', lock, owner, 1)
  redis.call('pexpire', lock, lease_ms)
  return 1
end
if redis.call('exists', node) == 0 then
  redis.call('rpush', queue, owner)
  -- locksim: allow LS008 the sketch leaves a dead waiter's node for ever, too
  redis.call('hset', node, 'state', 'waiting')
end
if redis.call('exists', lock) == 0 and redis.call('lindex', queue, 0) == owner then
  redis.call('hset', node, 'state', 'holding')
  redis.call('hset', lock, owner, 1)
  redis.call('pexpire', lock, lease_ms)
  return 1
end
return 0
