-- free.lua: a job ended; and so did all whose time was over.
-- KEYS  1 settings, 2 running, 3 weights, 4 clients      ARGV  1 now, 2 job
if redis.call('exists', KEYS[1]) == 0 then return redis.error_reply('SETTINGS_KEY_NOT_FOUND') end
local freed = 0
local over = redis.call('zrangebyscore', KEYS[2], '-inf', '(' .. ARGV[1])
for _, client in ipairs({ 'a:1', 'b:1' }) do
  local entry = client .. '/' .. ARGV[2]
  if redis.call('zscore', KEYS[2], entry) then over[#over + 1] = entry end
end
for _, entry in ipairs(over) do
  local weight = tonumber(redis.call('hget', KEYS[3], entry))
  if weight then
    freed = freed + weight
    redis.call('zincrby', KEYS[4], -weight, (string.gsub(entry, '/.*', '')))
    redis.call('hdel', KEYS[3], entry)
    redis.call('zrem', KEYS[2], entry)
  end
end
redis.call('zremrangebyscore', KEYS[2], '-inf', '(' .. ARGV[1])
if freed > 0 then
  redis.call('hincrby', KEYS[1], 'done', 1)
  redis.call('publish', 'calls', 'freed:' .. freed)
end
return { tostring(freed), redis.call('hincrbyfloat', KEYS[1], 'running', -freed) }
