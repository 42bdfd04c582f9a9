-- A release by a script that compares; and DEL where it ends no hold of a lock, or by force.
local M = {}
local compare_and_delete = script.text "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"
function M.release(me, name)
  local gone, problem = me:eval(compare_and_delete, { name }, { me.id }, { op = "release", lock = name })
  return gone == 1, problem
end
function M.force_release(me, name)
  return me:call("DEL", name, { op = "force_release", lock = name })
end
function M.forget(me, name)
  return me:call("DEL", name .. ":statistics")
end
function M.unlock(me, name)
  if me:call("GET", name) == me.id then
    return me:call("DEL", name, { op = "release" })
  end
  return 0
end
function M.guarded(me, name)
  local owner = me:call("GET", name)
  if owner ~= me.id then
    return nil, "not owner"
  end
  return me:call("DEL", name, { op = "release" })
end
-- What is taken out names its owner.
local leave = script.text "local n = redis.call('zrem', KEYS[1], ARGV[1]) redis.call('del', KEYS[2]) return n"
function M.leave(me, name)
  return me:eval(leave, { name, name .. ":x" }, { me.id }, { op = "release" })
end
return M
