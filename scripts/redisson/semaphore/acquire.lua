-- acquire.lua: take permits of the semaphore, all that are asked for or none.
-- KEYS  1 semaphore (string: permits to be had)      ARGV  1 permits
-- Returns 1 when they are ours, else 0.
local semaphore = KEYS[1]
local wanted = ARGV[1]
local free = redis.call('get', semaphore)
if free ~= false and tonumber(free) >= tonumber(wanted) then
  redis.call('decrby', semaphore, wanted)
  return 1
end
return 0
