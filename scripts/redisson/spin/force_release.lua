-- force_release.lua: delete the lock, whatever its owner.
-- KEYS  1 lock
-- Returns 1 if there was a lock, else 0.
return redis.call('del', KEYS[1])  -- locksim: allow LS020 a forced release deletes another owner's lock
