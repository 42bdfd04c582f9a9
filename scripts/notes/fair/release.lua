-- release.lua: give back one hold of the fair lock; at the last one leave the queue and tell the next (seed 004's
-- sketch, completed).
-- KEYS  1 lock, 2 queue, 3 our node, 4 channel      ARGV  1 lease in milliseconds while holds remain, 2 owner
-- Returns how many holds remain (0: the lock is free), nil if `owner` holds nothing.
local lock, queue, node, channel = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local lease_ms, owner = ARGV[1], ARGV[2]

local remaining = nil
if redis.call('hexists', lock, owner) == 1 then
  remaining = redis.call('hincrby', lock, owner, -1)
  if remaining > 0 then
    redis.call('pexpire', lock, lease_ms)
    return remaining
  end
  redis.call('del', lock)
end

-- The sketch's two lines. An owner whose lease has run out still stands at the head: if it did not leave, none would
-- ever move.
redis.call('del', node)
if redis.call('lrem', queue, 1, owner) == 1 then
  local following = redis.call('lindex', queue, 0)
  if following ~= false then
    redis.call('publish', channel, following)
  end
end
return remaining
