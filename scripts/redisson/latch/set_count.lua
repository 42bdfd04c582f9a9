-- set_count.lua: give the latch a count, unless it has one, and close the gate.
-- KEYS  1 latch, 2 channel      ARGV  1 message, 2 count, 3 publish command
-- Returns 1 when it was set, else 0.
local latch, channel = KEYS[1], KEYS[2]
local message, count, publish = ARGV[1], ARGV[2], ARGV[3]
if redis.call('exists', latch) == 1 then
  return 0
end
redis.call('set', latch, count)  -- locksim: allow LS008 a latch stays until its count is down
redis.call(publish, channel, message)
return 1
