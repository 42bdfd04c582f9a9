-- delete.lua: forgets a digest altogether.
-- KEYS  1 .. 6 what belongs to it, the last of all the list of digests      Returns how much there was.
local digests = KEYS[#KEYS]
local count = redis.call('ZREM', digests, KEYS[1])
for i = 1, #KEYS - 1 do
  local removed = redis.pcall(i % 2 == 0 and 'UNLINK' or 'DEL', KEYS[i])
  count = count + removed
end
return count
