-- remove.lua: takes a job out of wherever it is, unless a worker has it.
-- KEYS  1 wait, 2 active, 3 delayed, 4 prioritized, 5 done      ARGV  1 job      Returns where it was.
local job = ARGV[1]
if redis.call('EXISTS', 'lock:' .. job) == 1 then return redis.error_reply('BUSY ' .. job .. ' is at work') end
redis.call('DEL', 'job:' .. job)
for i = 1, 2 do
  if redis.call('LPOS', KEYS[i], job) and redis.call('LREM', KEYS[i], 0, job) > 0 then return KEYS[i] end
end
for i = 3, 5 do
  if redis.call('ZREM', KEYS[i], job) == 1 then return redis.status_reply(KEYS[i]) end
end
return false
