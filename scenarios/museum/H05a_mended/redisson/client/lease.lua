-- lease.lua: the lease field of a lock object: what a partial unlock sends as TTL.
-- The mend of ours: it is that of the last acquire, and never an acquire's that names none.
local watchdog = require "redisson.watchdog"

local M = {}

function M.new()
  return { lease_ms = watchdog.timeout_ms }
end

function M.reset(object)
  object.lease_ms = watchdog.timeout_ms
end

-- The TTL that an acquire sends, which was given lease_ms, or nil.
function M.ttl(_, lease_ms)
  return lease_ms or watchdog.timeout_ms
end

-- An acquire was granted.
function M.granted(object, lease_ms)
  object.lease_ms = lease_ms or watchdog.timeout_ms
end

-- An unlock was answered: 0 while holds remain, 1 when the lock is free, nil if there was nothing to give back.
function M.released(object, reply)
  if reply ~= 0 then
    M.reset(object)
  end
end

return M
