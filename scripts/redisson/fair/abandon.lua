-- abandon.lua: leave the queue of the fair lock after a wait that failed (since Redisson 3.11.1).
-- KEYS  1 queue, 2 deadlines      ARGV  1 owner, 2 the longest wait in milliseconds
-- Returns nothing. Those behind move up by one wait; those before are left alone.
local queue, deadlines = KEYS[1], KEYS[2]
local owner, wait_ms = ARGV[1], tonumber(ARGV[2])

local waiting = redis.call('lrange', queue, 0, -1)
local at = 1
while waiting[at] ~= nil and waiting[at] ~= owner do
  at = at + 1
end
for i = at + 1, #waiting do  -- locksim: allow LS014 as Redisson does it: as many rounds as wait
  redis.call('zincrby', deadlines, -wait_ms, waiting[i])
end
redis.call('zrem', deadlines, owner)
redis.call('lrem', queue, 0, owner)
