-- find.lua: the keys that begin like this, in order.
-- ARGV  1 prefix, 2 the count to scan with (0: as it is)
local found, cursor = {}, '0'
repeat
  local part
  if ARGV[2] == '0' then
    part = redis.call('SCAN', cursor, 'MATCH', ARGV[1] .. '*')
  else
    part = redis.call('SCAN', cursor, 'MATCH', ARGV[1] .. '*', 'COUNT', ARGV[2])
  end
  cursor = part[1]
  for _, key in ipairs(part[2]) do found[#found + 1] = key end
until cursor == '0'
table.sort(found)
return found
