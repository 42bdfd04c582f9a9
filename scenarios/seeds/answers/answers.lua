-- answers.lua: what a script answered and what it left behind, held against what it should be; for the scenarios
-- beside it, which call scripts one by one, without a driver. `make mutation` shows what no lock as a whole would
-- notice.
local M = {}

local function shown(value)
  if type(value) == "string" then
    return '"' .. value .. '"'
  elseif type(value) ~= "table" then
    return tostring(value)
  end
  local parts = {}
  for i = 1, #value do
    parts[i] = shown(value[i])
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end

function M.is(got, wanted)
  if shown(got) ~= shown(wanted) then
    error(shown(got) .. " instead of " .. shown(wanted), 2)
  end
end

-- A function that runs the script and holds its answer against the first argument. The operation is `ask`: no client
-- acquires anything here.
function M.of(me, file, keys)
  return function(wanted, a, b, c, d, e, f, g, h)
    local got, problem = me:eval(file, keys, { a, b, c, d, e, f, g, h }, { op = "ask" })
    if problem then
      error(problem.message or problem.kind, 2)
    end
    if shown(got) ~= shown(wanted) then
      error(shown(got) .. " instead of " .. shown(wanted), 2)
    end
  end
end

-- A function that runs one command and holds its reply against the first argument.
function M.see(me)
  return function(wanted, a, b, c, d, e)
    local got = me:call(unpack { a, b, c, d, e })
    if shown(got) ~= shown(wanted) then
      error(shown(got) .. " instead of " .. shown(wanted), 2)
    end
  end
end

-- Collects what comes over the channel; :are(list) waits a moment and holds it against the list, :stop() unsubscribes.
function M.listen(me, channel)
  local heard = {}
  me:subscribe(channel, function(_, message)
    heard[#heard + 1] = message
  end)
  return {
    are = function(_, wanted)
      me:sleep(1)
      if shown(heard) ~= shown(wanted) then
        error(shown(heard) .. " instead of " .. shown(wanted), 2)
      end
    end,
    stop = function()
      me:unsubscribe(channel)
    end,
  }
end

return M
