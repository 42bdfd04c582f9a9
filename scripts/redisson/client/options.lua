-- options.lua: what a lock's request tells of itself. A family with modes (read, write) has operations of their own.
return function(lock, op, lease_ms)
  local mode = lock.family.mode
  return { op = mode and op .. "_" .. mode or op, lock = lock.name, lease = lease_ms }
end
