-- view.lua: what the servers say of a group: its holder is the owner that holds `enough` of its locks, as often as it
-- holds the last of those, and for as long as that one lasts.
local keyspace = require "keyspace"

local function nth_largest(list, n)
  table.sort(list, function(a, b) return a > b end)
  return list[n]
end

return function(locks, enough)
  local at = {}
  for i, lock in ipairs(locks) do
    at[i] = { name = lock.name, server = lock.me.server }
  end
  return function(redis)
    local counts, ttls = {}, {}
    for _, lock in ipairs(at) do
      local server = redis.on(lock.server)
      for owner, count in pairs(keyspace.counts(server, lock.name)) do
        counts[owner] = counts[owner] or {}
        ttls[owner] = ttls[owner] or {}
        table.insert(counts[owner], count)
        table.insert(ttls[owner], server.call("PTTL", lock.name))
      end
    end
    local holders, ttl_ms = {}, -2
    for owner, list in pairs(counts) do
      if #list >= enough then
        holders[owner] = nth_largest(list, enough)
        ttl_ms = nth_largest(ttls[owner], enough)
      end
    end
    return { holders = holders, ttl_ms = ttl_ms }
  end
end
