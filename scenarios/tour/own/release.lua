-- release.lua: frees the lock.   KEYS 1 lock   ARGV 1 owner   Returns 1 if there was a lock.
-- It should compare the owner first. That it does not is what the scenario finds.
return redis.call('DEL', KEYS[1])
