-- locked.lua: has this job the lock, or a place in line?
-- KEYS  1 digest, 2 queued, 3 primed, 4 locked      ARGV  1 job
if redis.call('HEXISTS', KEYS[4], ARGV[1]) == 1 then return 1 end
for place = 2, 3 do
  for i, job in ipairs(redis.call('LRANGE', KEYS[place], 0, -1)) do
    if job == ARGV[1] then return -i end
  end
end
return redis.call('STRLEN', KEYS[1])
