-- evaluate.lua: runs a script by its digest; a server that has forgotten it (NOSCRIPT) is given the text and asked again, as client
-- libraries do. Nothing was executed when a server answers so, therefore asking again is safe.
local M = {}

-- True if the server does not know the script.
function M.unknown(problem)
  return type(problem) == "table" and problem.kind == "noscript"
end

-- Gives the server the script's text. Returns nil and a problem if that fails.
function M.load(me, script)
  return me:call("SCRIPT", "LOAD", script.text, { op = "script_load" })
end

-- me:eval, but NOSCRIPT is seen to.
function M.eval(me, script, keys, argv, options)
  local reply, problem = me:eval(script, keys, argv, options)
  if M.unknown(problem) then
    local loaded, failure = M.load(me, script)
    if not loaded then
      return nil, failure
    end
    reply, problem = me:eval(script, keys, argv, options)
  end
  return reply, problem
end

-- A problem in words, for whoever called the driver.
function M.reason(problem)
  if type(problem) == "string" then
    return problem
  end
  return problem.kind == "reply" and problem.message or problem.kind
end

return M
