-- token.lua: one value for all tries of an acquisition.
local M = {}

function M.next(lock)
  lock.token = lock.token or lock.me.id .. "/" .. lock.me:unique("token")
  return lock.token
end

return M
