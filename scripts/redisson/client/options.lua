-- options.lua: how a lock's request is announced. A family with modes (read, write) has operations of their own; a
-- semaphore's release says how many permits it gives back.
return function(lock, op, lease_ms, permits)
  local mode = lock.family.mode
  return { op = mode and op .. "_" .. mode or op, lock = lock.name, lease = lease_ms, permits = permits }
end
