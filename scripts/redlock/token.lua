-- token.lua: the value by which a server knows whose vote it gave. It is another one for each try: a request of an
-- earlier try, a give-back above all, may be executed late, and must not touch the votes of this one.
local M = {}

function M.next(lock)
  return lock.me.id .. "/" .. lock.me:unique("token")
end

return M
