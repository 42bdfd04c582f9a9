-- promote.lua: moves every delayed job whose time has come, by its priority or to the head of the line.
-- KEYS  1 delayed, 2 wait, 3 prioritized      ARGV  1 now in ms
-- Returns when the next one is due, in ms, or nil.
local delayed, wait, prioritized = KEYS[1], KEYS[2], KEYS[3]
local due = redis.call('ZRANGEBYSCORE', delayed, '-inf', ARGV[1] * 4096 + 4095)
for i = 1, #due, 100 do redis.call('ZREM', delayed, unpack(due, i, math.min(i + 99, #due))) end
for _, job in ipairs(due) do
  local priority = tonumber(redis.call('HGET', 'job:' .. job, 'priority')) or 0
  if priority == 0 then
    redis.call('RPUSH', wait, job)
  else
    redis.call('ZADD', prioritized, priority * 2 ^ 32, job)
  end
  redis.call('HSET', 'job:' .. job, 'delay', 0)
end
local first = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')[2]
if first then return math.floor(first / 4096) end
