-- delete.lua: delete the latch. The message says that there is a new count: it closes the gate, and wakes no waiter.
-- KEYS  1 latch, 2 channel      ARGV  1 message, 2 publish command
-- Returns 1 if there was a latch, else 0.
local latch, channel = KEYS[1], KEYS[2]
local message, publish = ARGV[1], ARGV[2]
if redis.call('del', latch) == 0 then  -- locksim: allow LS020 a latch has no owner
  return 0
end
redis.call(publish, channel, message)
return 1
