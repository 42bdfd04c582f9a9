-- force_release.lua: delete the lock whoever holds it.
-- KEYS  1 lock
-- Returns 1 if there was a lock, else 0.
return redis.call('del', KEYS[1])  -- locksim: allow LS020 whoever holds it: that is what it is for
