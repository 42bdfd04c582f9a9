-- The same requests, heard.
local evaluate = require "evaluate"
local M = {}
function M.renew(me, script, name)
  local renewed, problem = me:eval(script, { name }, { me.id }, { op = "renew" })
  if problem or renewed == 0 then
    return nil, "lost"
  end
  local sent = me:send("INCR", { "renewals" }, {})
  sent:on_answer(function() end)
  return evaluate.eval(me, script, { name }, {})
end
function M.insist(me, script, name)
  repeat
    local reply = me:eval(script, { name }, { me.id }, { op = "renew" })
  until reply ~= nil
end
-- What is queued is answered by EXEC.
function M.release_watched(me, name)
  me:call("WATCH", name)
  if me:call("GET", name) ~= me.id then
    return nil, "lost"
  end
  me:call("MULTI")
  me:call("DEL", name)
  return me:call("EXEC")
end
return M
