-- count_down.lua: take one from the latch's count; the last one opens the gate.
-- KEYS  1 latch (string: count), 2 channel      ARGV  1 message, 2 publish command
local latch, channel = KEYS[1], KEYS[2]
local message, publish = ARGV[1], ARGV[2]
local count = redis.call('decr', latch)
if count <= 0 then
  redis.call('del', latch)
end
if count == 0 then
  redis.call(publish, channel, message)
end
