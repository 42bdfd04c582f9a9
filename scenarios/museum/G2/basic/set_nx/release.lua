-- release.lua: delete the lock, whoever's it is.
-- KEYS  1 lock      ARGV  1 the value that the caller's acquire stored (not looked at)
-- Returns 1, or 0 when there is no lock.
return redis.call('DEL', KEYS[1])
