-- answers.lua: a driver that reports its answers to the program: each call's results, as words in the story.
-- `locksim compare` puts it between a program and the modules that its file requires, where client code differs: two
-- versions that answer a call otherwise can be told apart, even if the program at hand does not look. Calls within the
-- driver are its own business.
local M = {}

local real_key, task_key = "(real)", "(task)"

local function real_of(value)
  return type(value) == "table" and rawget(value, real_key) or value
end

-- An argument as the driver is to get it: also in a list, as a group of locks is.
local function given(value)
  local real = real_of(value)
  if type(real) ~= "table" or real ~= value or real_of(rawget(real, 1)) == rawget(real, 1) then
    return real
  end
  local list = {}
  for i, item in ipairs(real) do
    list[i] = real_of(item)
  end
  return list
end

-- An instant is shown as one, without its value: the requests show that.
local function word(value)
  local kind = type(value)
  if kind == "nil" or kind == "boolean" or kind == "string" then
    return tostring(value)
  elseif kind == "number" then
    return math.abs(value) < 1e11 and tostring(value) or "an instant"
  elseif kind ~= "table" then
    return "a " .. kind
  end
  local words = {}
  for i, item in ipairs(value) do
    words[i] = type(item) == "table" and "a table" or word(item)
  end
  return "{" .. table.concat(words, ", ") .. "}"
end

local function tell(task, call, x, y, z)
  local text = word(x)
  if y ~= nil or z ~= nil then
    text = text .. ", " .. word(y) .. (z ~= nil and ", " .. word(z) or "")
  end
  task:use("answer of " .. call .. ": " .. text)
end

local function is_task(value)
  return type(value) == "userdata"
end

-- A lock, say, and no list of values.
local function is_object(value)
  if type(value) ~= "table" or getmetatable(value) then
    return type(value) == "table"
  end
  for _, field in pairs(value) do
    if type(field) == "function" then
      return true
    end
  end
  return false
end

local wrap_object

-- The call of `f` as the program makes it. task: whose object it is called by; nil: a module's function, which gets the
-- task itself.
local function telling(name, f, task)
  return function(a, b, c, d, e)
    local by = is_task(a) and a or is_task(b) and b or task
    local x, y, z = f(given(a), given(b), given(c), given(d), given(e))
    if by == nil then
      return M.wrap(x), y, z
    elseif is_object(x) then
      return wrap_object(x, by), y, z
    end
    tell(by, name, x, y, z)
    return x, y, z
  end
end

local object = {
  __index = function(self, name)
    local value = rawget(self, real_key)[name]
    return type(value) == "function" and telling(name, value, rawget(self, task_key)) or value
  end,
  __newindex = function(self, name, value)
    rawget(self, real_key)[name] = value
  end,
}

function wrap_object(real, task)
  return setmetatable({ [real_key] = real, [task_key] = task }, object)
end

-- The module with functions that report; a value that is no table of functions is left as it is.
function M.wrap(module)
  if type(module) ~= "table" or getmetatable(module) then
    return module
  end
  local told, functions = {}, false
  for name, value in pairs(module) do
    local wrapped = type(value) == "function" and name ~= "view"
    told[name] = wrapped and telling(name, value) or value
    functions = functions or wrapped
  end
  return functions and told or module
end

return M
