-- red_lock.lua: Redisson's RedLock: a multi-lock that is content with a majority of its locks, and gives each of them
-- its share of the wait.
local multi = require "redisson.multi"

local M = {}

function M.lock(me, name, locks)
  return multi.group(me, name, locks, {
    tolerated = function(n) return n - (math.floor(n / 2) + 1) end,
    patience  = function(left_ms, n) return math.max(math.floor(left_ms / n), 1) end,
    strict    = false,
  })
end

return M
