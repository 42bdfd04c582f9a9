#!lua name=basic_lock
-- lock.lua: a library of Redis functions (Redis 7.0 and later, FUNCTION LOAD) for a lock with one key: a value that is
-- never used twice, and a TTL. Functions are called by name, FCALL name numkeys key... argument..., and get their keys
-- and arguments as parameters.

local function is_owner(lock, token)
  return redis.call('GET', lock) == token
end

-- keys  1 lock      args  1 fresh value, 2 lease in milliseconds
-- Returns OK, or nil while a client holds the lock.
local function acquire(keys, args)
  return redis.call('SET', keys[1], args[1], 'NX', 'PX', args[2])
end

-- keys  1 lock      args  1 the value of the caller's acquire, 2 lease in milliseconds
-- Returns 1, or 0 when the lock is not the caller's.
local function renew(keys, args)
  if not is_owner(keys[1], args[1]) then
    return 0
  end
  return redis.call('PEXPIRE', keys[1], args[2])
end

-- keys  1 lock      args  1 the value of the caller's acquire
-- Returns 1, or 0 when the lock is not the caller's.
local function release(keys, args)
  if not is_owner(keys[1], args[1]) then
    return 0
  end
  return redis.call('DEL', keys[1])
end

-- keys  1 lock      Returns the milliseconds left; -2 when the lock is free.
local function left_ms(keys)
  return redis.call('PTTL', keys[1])
end

redis.register_function('lock_acquire', acquire)
redis.register_function('lock_renew', renew)
redis.register_function('lock_release', release)
redis.register_function{
  function_name = 'lock_left_ms',
  callback = left_ms,
  flags = { 'no-writes' },
  description = 'how long the lock is still held',
}
