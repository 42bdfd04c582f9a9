-- get_all.lua: what each key holds, whatever its type.
local out = {}
for i, key in ipairs(KEYS) do
  local value = redis.pcall('GET', key)
  if type(value) == 'table' then value = value.err end
  out[i] = { value, redis.call('TYPE', key).ok, redis.call('TTL', key), redis.call('GETRANGE', 'window', 0, -1) }
end
return out
