-- lease.lua: the lease field of a lock object: what an acquire without a lease of its own sends as TTL, and a partial
-- unlock too. It belongs to the object, not to a hold: threads that share the object share the field, and a lease given
-- earlier leaks into an acquire that names none.
local watchdog = require "redisson.watchdog"

local M = {}

function M.new()
  return { lease_ms = watchdog.timeout_ms }
end

function M.reset(object)
  object.lease_ms = watchdog.timeout_ms
end

-- The TTL that an acquire sends, which was given lease_ms, or nil.
function M.ttl(object, lease_ms)
  return lease_ms or object.lease_ms
end

-- An acquire was granted.
function M.granted(object, lease_ms)
  if lease_ms then
    object.lease_ms = lease_ms
  end
end

-- An unlock was answered: 0 while holds remain, 1 when the lock is free, nil if there was nothing to give back, or no
-- answer came.
function M.released(object, reply)
  if reply ~= 0 then
    M.reset(object)
  end
end

return M
