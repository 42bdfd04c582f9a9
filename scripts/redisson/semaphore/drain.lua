-- drain.lua: take all permits that are to be had.
-- KEYS  1 semaphore
-- Returns how many there were, as they were written.
local semaphore = KEYS[1]
local free = redis.call('get', semaphore)
if free == false then
  return 0
end
redis.call('set', semaphore, 0)
return free
