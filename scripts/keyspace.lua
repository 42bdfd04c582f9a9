-- keyspace.lua: reads of the keyspace for the views of several locks. It only reads, and takes a key of the wrong
-- type for absent.
local M = {}

function M.exists(redis, key)
  return redis.call("EXISTS", key) == 1
end

-- A hash as a table of field -> value.
function M.hash(redis, key)
  local fields = {}
  if redis.call("TYPE", key) == "hash" then
    local flat = redis.call("HGETALL", key)
    for i = 1, #flat, 2 do
      fields[flat[i]] = flat[i + 1]
    end
  end
  return fields
end

-- A hash of owner -> holds as { [owner] = holds }.
function M.counts(redis, key)
  local holders = M.hash(redis, key)
  for owner, count in pairs(holders) do
    holders[owner] = tonumber(count)
  end
  return holders
end

-- A list of owners, head first.
function M.queue(redis, key)
  if redis.call("TYPE", key) ~= "list" then
    return {}
  end
  return redis.call("LRANGE", key, 0, -1)
end

-- Those of `keys` that exist.
function M.existing(redis, keys)
  local found = {}
  for _, key in ipairs(keys) do
    if M.exists(redis, key) then
      found[#found + 1] = key
    end
  end
  return found
end

-- Appends every key that begins with `prefix` to `found`, in byte order.
function M.add_prefixed(redis, found, prefix)
  local pattern = prefix:gsub("[%[%]%*%?\\]", "\\%0")
  local keys = redis.call("KEYS", pattern .. "*")
  table.sort(keys)
  for _, key in ipairs(keys) do
    found[#found + 1] = key
  end
  return found
end

return M
