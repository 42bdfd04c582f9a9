-- release.lua: Redlock.release of node-redlock: delete those resources that are the caller's.
-- KEYS  the resources      ARGV  1 value
-- Returns how many that were.
local value = ARGV[1]
local freed = 0
for _, resource in ipairs(KEYS) do
  if redis.call('get', resource) == value then
    redis.pcall('del', resource)               -- locksim: allow LS018 the library's text; DEL of a string has no error
    freed = freed + 1
  end
end
return freed
