local start_us = tonumber(ARGV[1])
local now = redis.call('time')
local us = now[1] * 1000000 + now[2]
return KEYS[1] .. start_us .. ':' .. us .. tostring(12345678901234567)
