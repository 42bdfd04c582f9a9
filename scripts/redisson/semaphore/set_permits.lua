-- set_permits.lua: give the semaphore its permits, unless it has been given some before.
-- KEYS  1 semaphore, 2 channel      ARGV  1 permits, 2 publish command
-- Returns 1 when they were set, else 0.
local semaphore, channel = KEYS[1], KEYS[2]
local permits, publish = ARGV[1], ARGV[2]
if redis.call('get', semaphore) ~= false then
  return 0
end
redis.call('set', semaphore, permits)  -- locksim: allow LS008 a semaphore stays
redis.call(publish, channel, permits)
return 1
