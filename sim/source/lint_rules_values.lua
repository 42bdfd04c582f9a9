-- lint_rules_values.lua: values of the wrong type: text where a number is meant, replies that may be missing, tests
-- whose result never changes, numbers that lose digits.
local commands = require "lint_commands"
local values = require "lint_values"

local rules = {}

local function described(value)
  if value.call and not value.converted then return ("the reply of '%s'"):format(value.call.name) end
  if value.call then return ("the number in the reply of '%s'"):format(value.call.name) end
  if value.why and value.why:sub(1, 4) == "ARGV" then return value.why end
  if type(value.const) == "string" then return "a text" end
  return "this value"
end

local function missing_word(value)
  return values.can_be(value, "false") and "false" or "nil"
end

local function may_be_missing(value)
  return value.types and value.call and values.can_be_falsy(value) and not values.only(value, "true", "false")
end

-- A field of a hash that is known to be there, and that this very script writes when it makes the hash.
local function written_with_key(w, call)
  local field = call.name == "hget" and call.existed and call.args[2] and call.args[2].const
  local written = field and w.fields_written and w.fields_written[call.args[1].id]
  return written and written[field]
end

-- Records what written_with_key needs.
local function note_fields(w, st, call)
  local id = call.args[1] and call.args[1].id
  if not id then return end
  if call.name == "hget" then call.existed = st:fact(id).exists == "yes" end
  if call.name == "hset" or call.name == "hmset" then
    w.fields_written = w.fields_written or {}
    local written = w.fields_written[id] or {}
    w.fields_written[id] = written
    for i = 2, #call.args, 2 do
      if call.args[i].const ~= nil then written[call.args[i].const] = true end
    end
  end
end

-- LS010: where a number, a text or an argument is needed.
local function needs_content(w, node, value, use)
  if may_be_missing(value) and not written_with_key(w, value.call) then
    w:report("LS010", node, ("%s may be %s here, and %s fails then"):format(described(value), missing_word(value), use),
             value.converted and "test it first, or give a default: (tonumber(...) or 0)" or
             "test it first: if value ~= false then ... end")
    return true
  end
  return values.only(value, "nil", "false") and value.call ~= nil
end

local ordered = values.set("lt", "le", "gt", "ge")
local symbols = { lt = "<", le = "<=", gt = ">", ge = ">=", eq = "==", ne = "~=" }

local function is_number(value) return values.only(value, "number") end
local function is_text(value) return values.only(value, "string") end
local function with_text(value) return value.types and value.types.string and not value.types.number end

-- LS009
local function order(w, node, a, b)
  for _, side in ipairs({ { a, b, node[2] }, { b, a, node[3] } }) do
    if with_text(side[1]) and is_number(side[2]) then
      w:report("LS009", side[3],
               ("%s is a text, and '%s' with a number fails"):format(described(side[1]), symbols[node[1]]),
               "tonumber(...) makes a number of it")
      return
    end
  end
  if is_text(a) and is_text(b) and not (a.const and b.const) then
    w:report("LS009", node, ("'%s' compares two texts: '9' comes after '10'"):format(symbols[node[1]]),
             "tonumber(...) makes numbers of them", true)
    return
  end
  if needs_content(w, node[2], a, "'" .. symbols[node[1]] .. "'") then return end
  needs_content(w, node[3], b, "'" .. symbols[node[1]] .. "'")
end

local function disjoint(a, b)
  if not a.types or not b.types or next(a.types) == nil or next(b.types) == nil then return false end
  for name in pairs(a.types) do if b.types[name] then return false end end
  return true
end

local outcome = { eq = "never holds", ne = "always holds" }

-- LS011
local function equality(w, node, a, b)
  for _, side in ipairs({ { a, b, node[2] }, { b, a, node[3] } }) do
    local value, other = side[1], side[2]
    if value.call and not w.nils and not value.converted and not value.call.pcall and value.types and not value.narrowed
        and not values.can_be(value, "nil") and values.only(other, "nil") then
      w:report("LS011", node, ("this %s: a missing reply is false in Lua, not nil"):format(outcome[node[1]]),
               "compare with false")
      return
    end
    if value.call and not value.converted and values.only(value, "number") and values.only(other, "true", "false") and
        not other.compared then
      w:report("LS011", node, ("this %s: '%s' answers a number"):format(outcome[node[1]], value.call.name),
               "compare with 1 or 0")
      return
    end
    if value.call and commands.is_status(value.call.name) and with_text(other) and not value.narrowed and
        not value.types.string then
      w:report("LS011", node, ("this %s: '%s' answers a table { ok = ... }"):format(outcome[node[1]], value.call.name),
               "compare the field: (...).ok, or only test whether there is an answer")
      return
    end
  end
  if not disjoint(a, b) or a.narrowed or b.narrowed then return end
  if is_number(a) and with_text(b) or is_number(b) and with_text(a) then
    local text = with_text(a) and a or b
    w:report("LS011", node,
             ("this %s: %s is a text, and a number is never equal to a text"):format(outcome[node[1]], described(text)),
             "tonumber(...) makes a number of it")
  end
end

function rules.compare(w, _, node, op, a, b)
  if ordered[op] then order(w, node, a, b) else equality(w, node, a, b) end
end

function rules.arithmetic(w, _, node, op, a, b)
  if type(op) == "string" and op:find("^math") then needs_content(w, node, a, op) return end
  if needs_content(w, node[2], a, "arithmetic") then return end
  if node[3] then needs_content(w, node[3], b, "arithmetic") end
end

function rules.bound(w, _, node, value)
  if with_text(value) and values.only(value, "string", "false") and not value.const and value.call then
    w:report("LS009", node, ("%s is a text, and a loop's bound must be a number"):format(described(value)),
             "tonumber(...) makes a number of it")
  else
    needs_content(w, node, value, "the loop")
  end
end

-- LS015
local function rounded(w, node, value, how)
  if not value.big then return end
  if type(value.const) == "number" and math.abs(value.const) < 1e15 and value.const % 1 == 0 and
      math.abs(value.const) < 1e14 then
    return
  end
  w:report("LS015", node, ("%s keeps 14 digits, and this number can have more"):format(how),
           "string.format('%.0f', n) keeps them all")
end

function rules.concat(w, _, node, a, b)
  for i, value in ipairs({ a, b }) do
    needs_content(w, node[i + 1], value, "'..'")
    if values.can_be(value, "number") and not values.only(value, "string") then
      rounded(w, node[i + 1], value, "'..'")
    end
  end
end

function rules.text(w, _, node, value)
  if values.can_be(value, "number") and not values.only(value, "string") then rounded(w, node, value, "this") end
end

-- LS012
function rules.condition(w, _, node, value)
  if value.call and not value.converted and values.only(value, "number") and not value.call.pcall then
    w:report("LS012", node, ("'%s' answers a number, and 0 is true in Lua"):format(value.call.name),
             "compare: == 1, or > 0")
  end
end

-- LS010 and LS016 for arguments of commands.
function rules.command(w, st, call)
  note_fields(w, st, call)
  if call.pcall then return end
  for i, value in ipairs(call.args) do
    local node = call.nodes[i]
    if may_be_missing(value) then
      needs_content(w, node, value, ("'%s'"):format(call.name))
    elseif values.only(value, "nil", "false", "true", "table", "function") and not (value.narrowed or value.array) then
      w:report("LS010", node, ("an argument of '%s' must be a text or a number"):format(call.name),
               "tostring(...), or 1 and 0 for a truth")
    end
  end
  local place = commands.whole_argument(call.name)
  local value = place and call.args[place]
  if value and value.frac and values.can_be(value, "number") then
    w:report("LS016", call.nodes[place],
             ("'%s' takes a whole number, and this one can have a fraction"):format(call.name), "math.floor(...)")
  end
end

-- In RESP3 a missing reply is nil.
function rules.library(w, _, _, name)
  if name == "redis.setresp" then w.nils = true end
end

function rules.number(w, node, value)
  if math.abs(value.const) >= 2^53 and value.const < 1 / 0 then
    w:report("LS015", node, "numbers keep 53 bits: this one is " .. ("%.0f"):format(value.const),
             "write it as a text if it is one: '...'")
  end
end

function rules.finish(w, _, node, all)
  for i, value in ipairs(all) do
    if i == 1 and value.frac and values.only(value, "number") then
      w:report("LS016", node[i] or node, "a returned number loses its fraction: 0.9 reaches the caller as 0",
               "return it as text: tostring(...)")
    end
  end
end

return rules
