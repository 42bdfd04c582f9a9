-- page.lua: a part of a state's jobs with what they hold, in one order or the other.
-- ARGV  1 name, 2 first, 3 last, 4 1 for the oldest first
local name, first, last, ascending = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1'
local kind = redis.call('TYPE', name).ok
local jobs
if kind == 'zset' then
  jobs = redis.call(ascending and 'ZRANGE' or 'ZREVRANGE', name, first, last)
elseif ascending then
  jobs = {}
  local part = redis.call('LRANGE', name, -(last + 1), -(first + 1))
  for i = #part, 1, -1 do jobs[#jobs + 1] = part[i] end
else
  jobs = redis.call('LRANGE', name, first, last)
end
local out = {}
for _, job in ipairs(jobs) do
  local data = redis.call('HGET', 'job:' .. job, 'data')
  out[#out + 1] = { job, data and cjson.decode(data)[2] or false, redis.call('HLEN', 'job:' .. job) }
end
return out
