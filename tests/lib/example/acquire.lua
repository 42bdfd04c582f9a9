-- acquire.lua: take the stock room's lock for a while.
-- KEYS  1 lock     ARGV  1 token, 2 lease in ms     Returns 1, or 0 while somebody else has it.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return 0
