-- A renewal, a command in passing, and a release: their answers are not looked at.
local evaluate = require "evaluate"
local M = {}
function M.renew(me, script, name)
  me:eval(script, { name }, { me.id }, { op = "renew" })
  if me.process.counts then
    evaluate.eval(me, script, { name }, {})
  end
  me:send("INCR", { "renewals" }, {})
end
function M.release(me, script, name)
  local reply, problem = me:eval(script, { name }, { me.id }, { op = "release" })
  local _ = me:call("INCR", "releases")
  me:released(name)
end
function M.release_queued(me, name)
  me:call("MULTI")
  me:call("DEL", name)
  local gone = me:call("EXEC")
  me:call("INCR", "releases")
  return gone
end
return M
