-- extend.lua: Redlock.extend of node-redlock: let every resource of the caller's live for another lease from now, or
-- none of them.
-- KEYS  the resources      ARGV  1 value, 2 lease in milliseconds
-- Returns how many were extended: all of them, or 0 when one is not the caller's.
local value, lease_ms = ARGV[1], ARGV[2]
for _, resource in ipairs(KEYS) do
  if redis.call('get', resource) ~= value then
    return 0
  end
end
for _, resource in ipairs(KEYS) do
  redis.call('set', resource, value, 'PX', lease_ms)
end
return #KEYS
