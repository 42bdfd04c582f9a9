-- abandon.lua: leave the queue of the fair lock after a wait that failed (Redisson 3.2.4 to 3.5.4).
-- KEYS  1 queue, 2 deadlines      ARGV  1 owner, 2 the longest wait in milliseconds
-- Returns nothing. Nobody moves up: those behind keep deadlines that contain the wait of the one who left.
local queue, deadlines = KEYS[1], KEYS[2]
local owner = ARGV[1]
redis.call('zrem', deadlines, owner)
redis.call('lrem', queue, 0, owner)
