if tonumber(ARGV[1]) > 10 then
  return 0
end
local deadline = redis.call('zscore', KEYS[1], ARGV[2])
if deadline ~= false and tonumber(deadline) <= tonumber(ARGV[3]) then
  return 1
end
return 3
