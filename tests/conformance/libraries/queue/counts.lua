-- counts.lua: how many jobs there are of each state; a marker at the end of a line doesn't count.
-- ARGV  names of lists and sorted sets
local counts = {}
for i, name in ipairs(ARGV) do
  local kind = redis.call('TYPE', name)['ok']
  if kind == 'list' then
    local n = redis.call('LLEN', name)
    local last = redis.call('LINDEX', name, -1)
    counts[i] = last and string.sub(last, 1, 2) == '0:' and n - 1 or n
  elseif kind == 'zset' then
    counts[i] = redis.call('ZCARD', name)
  elseif kind == 'set' then
    counts[i] = redis.call('SCARD', name)
  else
    counts[i] = kind == 'none' and 0 or false
  end
end
return counts
