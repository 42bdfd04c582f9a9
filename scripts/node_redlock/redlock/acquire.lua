-- acquire.lua: Redlock.acquire of node-redlock: take every resource for one value, or none of them.
-- KEYS  the resources      ARGV  1 value, 2 lease in milliseconds
-- Returns how many were taken: all of them, or 0 when one is taken already, by whomever: the caller's own value
-- counts, too.
local value, lease_ms = ARGV[1], ARGV[2]
for _, resource in ipairs(KEYS) do
  if redis.call('exists', resource) == 1 then
    return 0
  end
end
for _, resource in ipairs(KEYS) do
  redis.call('set', resource, value, 'PX', lease_ms)
end
return #KEYS
