-- fenced_try.lua: tryLockAndGetToken() without arguments asks once.
local try_lock = require "redisson.client.try_lock"

return function(lock, lease_ms)
  return try_lock(lock, nil, lease_ms)
end
