-- leave.lua: give up waiting: out of the queue, and if it was our turn, tell the next (seed 004's sketch, completed).
-- KEYS  1 queue, 2 our node, 3 channel      ARGV  1 owner
-- Returns 1 if we stood in the queue, else 0.
local queue, node, channel = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]

redis.call('del', node)
if redis.call('lrem', queue, 1, owner) == 0 then
  return 0
end
local first = redis.call('lindex', queue, 0)
if first ~= false then
  redis.call('publish', channel, first)
end
return 1
