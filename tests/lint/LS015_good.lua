local now = redis.call('time')
local us = now[1] * 1000000 + now[2]
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
return KEYS[1] .. ':' .. string.format('%.0f', us) .. ms
