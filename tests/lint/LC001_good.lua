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
return M
