-- fenced_try.lua: tryLockAndGetToken() without arguments, which does not try: it waits as lockAndGetToken() does.
-- `wait` is the waiting call of client/token.lua.
return function(lock, lease_ms, wait)
  return wait(lock, -1, nil, lease_ms)
end
