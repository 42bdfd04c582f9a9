local now = redis.call('time')
local us = now[1] * 1000000 + now[2]
return KEYS[1] .. ':' .. us .. tostring(1234567890123456)
