-- watchdog.lua: renews plain locks, fair ones, and write locks: one request for all, each on behalf of its first
-- owner.
local renewal = require "redisson.renewal"

local renew = script "redisson/lock/renew.lua"

local kind = { name = "redisson_watchdog", op = "renew" }

function kind.asks_for(entry)
  return { entry.owners[1] }
end

function kind.request(batch)
  local keys, argv = {}, { renewal.timeout_ms }
  for i, asked in ipairs(batch) do
    local owner = asked.owners[1]
    keys[i] = asked.name
    argv[i + 1] = asked.aliases[owner] or owner
  end
  return { script = renew, keys = keys, argv = argv }
end

local M = renewal.of(kind)

M.timeout_ms = renewal.timeout_ms

return M
