-- acquire.lua: take permits of the semaphore, each with a name and a time at which it comes back by itself; all that
-- are asked for or none.
-- KEYS  1 semaphore (string: permits to be had), 2 permits that are out (sorted set: name -> when it runs out), 3
-- channel
-- ARGV  1 permits, 2 when they run out, 3 now, 4 the time that never comes, 5 publish command, 6... their names
-- Returns "OK" when they are ours; otherwise ":" and when the next one runs out, or nil if none does.
local semaphore, out, channel = KEYS[1], KEYS[2], KEYS[3]
local wanted, until_ms, now_ms, never, publish = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

-- locksim: allow LS019 as Redisson has it
local over = redis.call('zrangebyscore', out, 0, now_ms, 'limit', 0, wanted)
if #over > 0 then
  redis.call('zrem', out, unpack(over))
  local free = redis.call('incrby', semaphore, #over)
  if free > 0 then
    redis.call(publish, channel, free)
  end
end
local free = redis.call('get', semaphore)
if free ~= false and tonumber(free) >= tonumber(wanted) then
  redis.call('decrby', semaphore, wanted)
  for i = 6, #ARGV do
    -- locksim: allow LS008 it lives as long as the semaphore, for ever if that does
    redis.call('zadd', out, until_ms, ARGV[i])
  end
  local ttl_ms = redis.call('pttl', semaphore)
  if ttl_ms > 0 then
    redis.call('pexpire', out, ttl_ms)
  end
  return 'OK'
end
local next_over = redis.call('zrange', out, 0, 0, 'withscores')
if next_over[1] ~= nil and next_over[2] ~= never then
  return ':' .. next_over[2]
end
return nil
