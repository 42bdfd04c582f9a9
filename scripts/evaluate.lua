-- evaluate.lua: runs a script by its digest; a server that has forgotten it (NOSCRIPT) is given the text and asked
-- again, as client libraries do. Nothing was executed when a server answers so, therefore asking again is safe. The
-- same for a function of a library (options.fcall), of which a server that has lost it says "Function not found".
local M = {}

-- True if the server does not know the script.
function M.unknown(problem)
  return type(problem) == "table" and problem.kind == "noscript"
end

-- Gives the server the script's text, or the library's. Returns nil and a problem if that fails.
function M.load(me, script, library)
  if library then
    return me:call("FUNCTION", "LOAD", "REPLACE", script.text, { op = "function_load" })
  end
  return me:call("SCRIPT", "LOAD", script.text, { op = "script_load" })
end

-- me:eval, but NOSCRIPT is seen to.
function M.eval(me, script, keys, argv, options)
  local reply, problem = me:eval(script, keys, argv, options)
  if M.unknown(problem) then
    local loaded, failure = M.load(me, script, options and options.fcall)
    if not loaded then
      return nil, failure
    end
    reply, problem = me:eval(script, keys, argv, options)
  end
  return reply, problem
end

-- The words of EVAL.
local function by_text(script, keys, argv)
  local words = { script.text, #keys }
  for _, list in ipairs { keys, argv } do
    for _, word in ipairs(list) do
      words[#words + 1] = word
    end
  end
  return words
end

-- Like M.eval without waiting, for scripts: fn(me, reply, problem) is told the answer. A server that does not know the
-- script is sent its text by EVAL.
function M.send(me, script, keys, argv, options, fn)
  me:send(script, keys, argv, options):on_answer(function(task, reply, problem)
    if M.unknown(problem) then
      task:send("EVAL", by_text(script, keys, argv), {}, options):on_answer(fn)
    else
      fn(task, reply, problem)
    end
  end)
end

-- The same, and waits for the answer.
function M.ask(me, script, keys, argv, options)
  local reply, problem = me:eval(script, keys, argv, options)
  if M.unknown(problem) then
    return me:send("EVAL", by_text(script, keys, argv), {}, options):wait()
  end
  return reply, problem
end

-- A problem in words, for the driver's caller.
function M.reason(problem)
  if type(problem) == "string" then
    return problem
  end
  return problem.kind == "reply" and problem.message or problem.kind
end

return M
