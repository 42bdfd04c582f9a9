-- lock.lua: as it was up to release 2.9.
return require "redis_py.lock_2_9"
