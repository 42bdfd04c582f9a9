-- acquire.lua: a lock of your own: a string with a lease.   KEYS 1 lock   ARGV 1 owner, 2 lease in ms   Returns 1, or
-- 0 while it is held.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return 1
end
return 0
