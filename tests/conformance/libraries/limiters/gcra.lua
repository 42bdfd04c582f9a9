-- gcra.lua: the generic cell rate algorithm: one instant is kept, at which the next call would be exactly on time.
-- KEYS  1 cell      ARGV  1 burst, 2 rate, 3 period in seconds, 4 cost      Returns {allowed, remaining, retry after, reset after}.
redis.replicate_commands()
local burst, rate, period, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local interval = period / rate
local increment, tolerance = interval * cost, interval * burst
local base = 1483228800                            -- seconds since 2017, so that a double has digits to spare
local time = redis.call('TIME')
local now = (time[1] - base) + time[2] / 1000000
local on_time = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local next_on_time = on_time + increment
local left = (now - (next_on_time - tolerance)) / interval
if left < 0 then
  return { 0, 0, tostring(next_on_time - tolerance - now), tostring(on_time - now) }
end
local reset = next_on_time - now
if reset > 0 then redis.call('SET', KEYS[1], next_on_time, 'EX', math.ceil(reset)) end
return { cost, left, '-1', tostring(reset) }
