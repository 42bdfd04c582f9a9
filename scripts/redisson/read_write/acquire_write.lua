-- acquire_write.lua: take the write lock or re-enter it, or learn how long to wait. A thread that only reads is
-- refused, too.
-- KEYS  1 lock (hash: mode -> read or write, reader -> holds, "writer:write" -> holds)
-- ARGV  1 lease in milliseconds, 2 the thread's name as a writer
-- Returns nil when the lock is ours; otherwise the milliseconds left.
local lock = KEYS[1]
local lease_ms, writer = ARGV[1], ARGV[2]
local mode = redis.call('hget', lock, 'mode')
if mode == false then
  redis.call('hset', lock, 'mode', 'write')
  redis.call('hset', lock, writer, 1)
  redis.call('pexpire', lock, lease_ms)
  return nil
end
if mode == 'write' and redis.call('hexists', lock, writer) == 1 then
  redis.call('hincrby', lock, writer, 1)
  -- Added to what is left, so that no earlier hold gets less than it was promised.
  redis.call('pexpire', lock, redis.call('pttl', lock) + lease_ms)
  return nil
end
return redis.call('pttl', lock)
