-- try_one.lua: tryLock of one lock of a group: true or false. After no answer it is unlocked, for the script may have run; after an
-- interrupt it is not.
return function(lock, await, lease_ms, counted_ms)
  local got, why = lock:try_acquire(await, lease_ms, counted_ms)
  if got == nil and why == "timeout" then
    lock:release()
  end
  return got == true
end
