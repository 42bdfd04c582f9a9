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
-- By a script that compares no more than the command does; looked up and then not compared; looked up afterwards.
local free = script.text "if redis.call('exists', KEYS[1]) == 1 then return redis.call('del', KEYS[1]) end return 0"
function M.by_script(me, name)
  return me:eval(free, { name }, {}, { op = "release", lock = name })
end
function M.in_place(me, name)
  local f = me:send(script.text "redis.call('publish', KEYS[2], 0) return redis.call('unlink', KEYS[1])", { name, "c" },
                    {}, { op = "unlock" })
  return f:wait()
end
M.table_script = generic.lock { acquire = { "SET", "$lock", "$token", "NX" },
                                release = script.text "return redis.call('del', KEYS[1])" }
function M.told_only(me, name)
  local owner = me:call("GET", name)
  me:log("freed by " .. tostring(owner))
  return me:call("DEL", name, { op = "release" })
end
function M.too_late(me, name)
  local gone = me:call("GETDEL", name, { op = "release" })
  if me:call("GET", name) == me.id then
    return false
  end
  return gone
end
return M
