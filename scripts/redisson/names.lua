-- names.lua: how Redisson names the keys and channels that belong to a lock, so that a cluster keeps them in the
-- lock's slot.
local M = {}

local function has_tag(name)
  return name:find("{", 1, true) ~= nil
end

-- tagged("order") is "{order}", with which every key begins that is named after the lock and something else.
function M.tagged(name)
  return has_tag(name) and name or "{" .. name .. "}"
end

-- prefix("redisson_lock_queue", "order") is "redisson_lock_queue:{order}"; a name with a hash tag of its own stays as
-- it is.
function M.prefix(prefix, name)
  return prefix .. ":" .. M.tagged(name)
end

-- suffix("order", "timeout") is "{order}:timeout".
function M.suffix(name, suffix)
  return M.tagged(name) .. ":" .. suffix
end

-- The unlock latch of one release: see client/unlock.lua.
function M.latch(name, request)
  return M.prefix("redisson_unlock_latch", name) .. ":" .. request
end

return M
