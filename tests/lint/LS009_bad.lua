if ARGV[1] > 10 then
  return 0
end
local deadline = redis.call('zscore', KEYS[1], ARGV[2])
if deadline ~= false and deadline <= tonumber(ARGV[3]) then
  return 1
end
if ARGV[2] < ARGV[3] then
  return 2
end
return 3
