-- recover_stalled.lua: active jobs that were marked at the last call and have no lock go back to the line, or fail after too many times;
-- then all active ones are marked.
-- KEYS  1 stalled, 2 wait, 3 active      ARGV  1 at most every so many ms, 2 now, 3 how often a job may stall
local stalled, wait, active = KEYS[1], KEYS[2], KEYS[3]
if redis.call('EXISTS', 'stalled:check') == 1 then return { {}, {} } end
if tonumber(ARGV[1]) > 0 then redis.call('SET', 'stalled:check', ARGV[2], 'PX', ARGV[1]) end
local again, failed = {}, {}
local marked = redis.call('SMEMBERS', stalled)
table.sort(marked)
for _, job in ipairs(marked) do
  if redis.call('EXISTS', 'lock:' .. job) == 0 and redis.call('LREM', active, 1, job) > 0 then
    if redis.call('HINCRBY', 'job:' .. job, 'stalls', 1) > tonumber(ARGV[3]) then
      failed[#failed + 1] = job
      redis.call('HSET', 'job:' .. job, 'failed', 'stalled more than ' .. ARGV[3] .. ' times')
    else
      again[#again + 1] = job
      redis.call('RPUSH', wait, job)
    end
  end
end
redis.call('DEL', stalled)
local now_active = redis.call('LRANGE', active, 0, -1)
if #now_active > 0 then redis.call('SADD', stalled, unpack(now_active)) end
return { again, failed, redis.call('SCARD', stalled) }
