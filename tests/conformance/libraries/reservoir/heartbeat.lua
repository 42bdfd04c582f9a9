-- heartbeat.lua: clients that have not been heard of for so long lose what they held.
-- KEYS  1 clients, 2 running, 3 weights, 4 settings      ARGV  1 now, 2 longest silence in ms
redis.replicate_commands()
local silent = redis.call('zrangebyscore', KEYS[1], '-inf', '(' .. (ARGV[1] - ARGV[2]))
for _, client in ipairs(silent) do
  redis.call('zrem', KEYS[1], client)
  redis.call('hdel', KEYS[4], 'queued:' .. client)
  local held = redis.call('hkeys', KEYS[3])
  table.sort(held)
  for _, entry in ipairs(held) do
    if string.find(entry, client .. '/', 1, true) == 1 then
      redis.call('hincrbyfloat', KEYS[4], 'running', '-' .. redis.call('hget', KEYS[3], entry))
      redis.call('hdel', KEYS[3], entry)
      redis.call('zrem', KEYS[2], entry)
    end
  end
end
local time = redis.call('time')
return { silent, time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[1] }
