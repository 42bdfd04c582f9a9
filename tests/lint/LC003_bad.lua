-- Releases that free whatever lock is there.
local generic = require "generic"
local M = {}
function M.release(me, name)
  local gone = me:call("DEL", name, { op = "release", lock = name })
  return gone == 1
end
function M:unlock()
  return self.me:call("DEL", self.name) == 1
end
M.other = generic.lock { acquire = { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" }, release = { "DEL", "$lock" } }
return M
