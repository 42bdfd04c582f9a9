-- read_watchdog.lua: renews read locks: all of this process's readers of a lock at once, each hold by its own
-- timeout key.
local names = require "redisson.names"
local renewal = require "redisson.renewal"
local watchdog = require "redisson.watchdog"

local renew = script "redisson/read_write/renew_read.lua"

local kind = { name = "redisson_read_watchdog", op = "renew_read" }

-- Each reader once, in the order of their first acquires.
function kind.asks_for(entry)
  local readers, seen = {}, {}
  for _, owner in ipairs(entry.owners) do
    if not seen[owner] then
      seen[owner] = true
      readers[#readers + 1] = owner
    end
  end
  return readers
end

function kind.request(batch)
  local keys, argv = {}, { renewal.timeout_ms }
  for _, asked in ipairs(batch) do
    keys[#keys + 1] = asked.name
    keys[#keys + 1] = names.tagged(asked.name)
    argv[#argv + 1] = #asked.owners
    for _, owner in ipairs(asked.owners) do
      argv[#argv + 1] = owner
    end
  end
  return { script = renew, keys = keys, argv = argv }
end

local readers = renewal.of(kind)

local M = { add = readers.add }

-- The release of a read lock is also told to the watchdog of plain locks, which may know the same thread as a writer.
function M.cancel(me, name, owner)
  watchdog.cancel(me, name, owner)
  readers.cancel(me, name, owner)
end

return M
