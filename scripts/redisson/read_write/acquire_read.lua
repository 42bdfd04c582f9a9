-- acquire_read.lua: take the read lock, alone, beside other readers or within the own write lock, or learn how long to
-- wait.
-- KEYS  1 lock (hash: mode -> read or write, reader -> holds, "writer:write" -> holds), 2 prefix of the reader's own
-- timeout keys
-- ARGV  1 lease in milliseconds, 2 reader, 3 the same thread's name as a writer
-- Returns nil when the lock is ours; otherwise the milliseconds left.
-- Each hold has a key of its own that lives as long as its lease: release_read.lua finds out by them how long the
-- others need the hash.
local lock, timeouts = KEYS[1], KEYS[2]
local lease_ms, reader, writer = ARGV[1], ARGV[2], ARGV[3]
local mode = redis.call('hget', lock, 'mode')
if mode == false then
  redis.call('hset', lock, 'mode', 'read')
  redis.call('hset', lock, reader, 1)
  redis.call('set', timeouts .. ':1', 1)  -- locksim: allow LS006 KEYS[2] is their prefix, with the lock's {tag}
  redis.call('pexpire', timeouts .. ':1', lease_ms)  -- locksim: allow LS006 the same key
  redis.call('pexpire', lock, lease_ms)
  return nil
end
if mode == 'read' or (mode == 'write' and redis.call('hexists', lock, writer) == 1) then
  local hold = timeouts .. ':' .. redis.call('hincrby', lock, reader, 1)
  redis.call('set', hold, 1)  -- locksim: allow LS006 KEYS[2] is their prefix, with the lock's {tag}
  redis.call('pexpire', hold, lease_ms)  -- locksim: allow LS006 the same key
  -- The hash must outlive the longest lease of all holders.
  redis.call('pexpire', lock, math.max(redis.call('pttl', lock), lease_ms))
  return nil
end
return redis.call('pttl', lock)
