-- names.lua: how Redisson names the keys and channels that belong to a lock, so that a cluster keeps them in the lock's slot.
local M = {}

local function has_tag(name)
  return name:find("{", 1, true) ~= nil
end

-- prefix("redisson_lock_queue", "order") is "redisson_lock_queue:{order}"; a name with a hash tag of its own stays as it is.
function M.prefix(prefix, name)
  if has_tag(name) then
    return prefix .. ":" .. name
  end
  return prefix .. ":{" .. name .. "}"
end

-- suffix("order", "timeout") is "{order}:timeout".
function M.suffix(name, suffix)
  if has_tag(name) then
    return name .. ":" .. suffix
  end
  return "{" .. name .. "}:" .. suffix
end

-- The unlock latch of one release: see client/unlock.lua.
function M.latch(name, request)
  return M.prefix("redisson_unlock_latch", name) .. ":" .. request
end

return M
