local i = 0
for _, key in ipairs(KEYS) do
  if redis.call("get", key) == ARGV[1] then
    redis.call("pexpire", key, ARGV[2])
    i = i + 1
  end
end
return i
