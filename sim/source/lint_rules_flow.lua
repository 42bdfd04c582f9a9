-- lint_rules_flow.lua: how a script ends, and what it leaves behind: writes before an error, replies without bound,
-- values lost on return.
local commands = require "lint_commands"
local values = require "lint_values"

local rules = {}

-- ---- LS013 ----

local function place_of(w, node)
  local line = require("tree").place(w.source, node.offset)
  return line
end

local function partial(w, st, node, what)
  if st.wrote then
    w:report("LS013", node,
             ("%s after a write: what '%s' wrote in line %d stays"):format(what, st.wrote.name or "a command",
             place_of(w, st.wrote.node)), "nothing is rolled back: test first, write last")
  end
end

function rules.raise(w, st, node) partial(w, st, node, "an error") end
function rules.assert(w, st, node) partial(w, st, node, "this assertion can fail") end

local function is_error(value)
  return value and (value.reply == "error" or (value.fields and value.fields.err ~= nil))
end

-- ---- LS021, LS022 ----

-- `return false` is how many scripts say no: their clients read nil, and Go's has a name for it. It is wrong where the
-- script says something else by nil or 0.
local function boolean_return(w, node, value)
  if w.muted > 0 then return end
  local seen = w.returned or { booleans = {} }
  w.returned = seen
  if not node or values.only(value, "nil") or value.const == 0 then
    seen.no = seen.no or { node = node, word = node and value.const == 0 and "0" or "nil" }
  elseif not value.call and value.types and not value.narrowed and values.only(value, "true", "false") and
    not values.only(value, "true") then
    seen.booleans[#seen.booleans + 1] = node
  end
end

function rules.over(w)
  local seen = w.returned
  for _, node in ipairs(seen and seen.no and seen.booleans or {}) do
    w:report("LS021", node, ("false reaches the caller as nil, and elsewhere this script says no by %s"):format(
             seen.no.word), "say it in one way: return 1 or 0, or true or false, on every way")
  end
end

local known_fields = values.set("err", "ok", "double", "big_number", "verbatim_string", "map", "set")

local function table_return(w, node, value)
  if not value.items then return end
  local named = false
  for name in pairs(value.fields) do
    if known_fields[name] then return end
    if type(name) == "string" then named = true end
  end
  if named then
    w:report("LS022", node, "fields with names do not reach the caller: only elements 1, 2, ... do",
             "return a list, or cjson.encode(...)")
  end
  for i, item in ipairs(value.items) do
    if values.can_be(item.value, "nil") and item.value.types and not value.changed then
      w:report("LS022", item.node, ("the list ends before element %d where that is nil"):format(i),
               "put false or a number there instead")
      return
    end
  end
end

function rules.finish(w, st, node, all)
  if not node or not all[1] then
    boolean_return(w, nil, values.constant(nil))
    return
  end
  if is_error(all[1]) then partial(w, st, node, "an error is returned") return end
  boolean_return(w, node[1], all[1])
  table_return(w, node[1], all[1])
end

-- ---- LS014 ----

local whole_replies = values.set("hgetall", "hkeys", "hvals", "smembers", "sinter", "sunion", "sdiff", "keys")
local ranges = values.set("lrange", "zrange", "zrevrange")
local by_score = values.set("zrangebyscore", "zrevrangebyscore", "zrangebylex")

local function unbounded(call)
  if whole_replies[call.name] then return true end
  if ranges[call.name] and not commands.option(call, "LIMIT", 4) then
    local last = call.args[3] and tonumber(call.args[3].const)
    local by = commands.option(call, "BYSCORE", 4) or commands.option(call, "BYLEX", 4)
    return by ~= nil or last ~= nil and last < 0
  end
  return by_score[call.name] and not commands.option(call, "LIMIT", 4) or false
end

function rules.command(w, _, call)
  if call.name == "keys" then
    w:report("LS014", call.node, "KEYS looks at every key of the database while all other clients wait",
             "keep a set of the keys you need")
  elseif call.in_loop and unbounded(call) then
    w:report("LS014", call.node, ("'%s' asks for everything in each round of a loop"):format(call.name),
             "ask once, or with LIMIT")
  end
end

local function has_call(node)
  local found = false
  require("tree").walk(node, function(inner)
    if inner.tag == "Call" then found = true end
    return found
  end)
  return found
end

local function blame(w, value, body, node)
  local call = value and value.call
  if call and call.name and unbounded(call) and has_call(body) then
    w:report("LS014", node,
             ("a round for each element of '%s', however many there are, while all other clients wait"):format(
               call.name),
             "ask for a part: LIMIT, or a last index")
  end
end

function rules.loop(w, _, node, value) blame(w, value, node[3], node) end
function rules.counted_loop(w, _, node, value) blame(w, value, node[#node], node) end

-- ---- LS018 ----

function rules.done(w, _, call)
  if call.pcall and call.statement and call.name then
    w:report("LS018", call.node,
             ("an error of '%s' is swallowed: what redis.pcall returns is not looked at"):format(call.name),
             "redis.call ends the script with the error; or test the reply's field err")
  end
end

return rules
