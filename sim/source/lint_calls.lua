-- lint_calls.lua: the results of the functions that a script can call, redis.call above all.
local commands = require "lint_commands"
local effects = require "lint_effects"
local state = require "lint_state"
local values = require "lint_values"

local calls = {}

local libraries = values.set("redis", "string", "table", "math", "bit", "cjson", "cmsgpack", "struct", "coroutine")
local functions = values.set("tonumber", "tostring", "type", "ipairs", "pairs", "next", "unpack", "select", "error",
                             "assert", "pcall", "xpcall",
                             "rawget", "rawset", "setmetatable", "getmetatable", "loadstring", "load", "rawequal",
                             "collectgarbage")

-- The value of a global name.
function calls.global(name)
  if name == "KEYS" then
    local elem = { types = values.set("string"), from = "keys", id = "KEYS[*]" }
    return { types = values.set("table"), array = "KEYS", elem = elem, id = "KEYS" }
  elseif name == "ARGV" then
    local elem = { types = values.set("string"), from = "foreign", why = "ARGV", id = "ARGV[*]" }
    return { types = values.set("table"), array = "ARGV", elem = elem, id = "ARGV" }
  elseif libraries[name] then
    return { types = values.set("table"), lib = name, id = name }
  elseif functions[name] then
    return { types = values.set("function"), fn = name, id = name }
  end
  return values.unknown(name)
end

function calls.element(array, key)
  local place = "[" .. (key.const and tostring(key.const) or key.id or "?") .. "]"
  local why = array.array == "ARGV" and (array.called or array.array) .. place
  return values.with(array.elem, { id = array.array .. place, why = why or false })
end

-- What FCALL hands to a function of a library: KEYS and ARGV by names of its own, and how it calls them.
function calls.parameters(closure)
  local all, shown = {}, {}
  for i, name in ipairs { "KEYS", "ARGV" } do
    local param, value = closure.node[1][i], calls.global(name)
    value.called = param and param.tag == "Id" and param[1] or (i == 1 and "keys" or "args")
    if name == "ARGV" then value.elem.why = value.called end
    all[i], shown[name] = value, value.called
  end
  return all, shown
end

function calls.member(lib, name)
  if type(name) ~= "string" then return values.anything end
  return { types = not name:find("^[A-Z_]+$") and lib ~= "math" and values.set("function") or nil, fn = lib .. "." ..
           name, id = lib .. "." .. name }
end

local function string_of(from, why, id)
  return { types = values.set("string"), from = from, why = why, id = id }
end

local function number_at(node, fields)
  return values.with({ types = values.set("number"), id = "@" .. node.offset, from = "foreign", why = "a number" },
                     fields or {})
end

local library = {}

function library.tonumber(_, _, _, args)
  local a = args[1] or values.constant(nil)
  if a.const and tonumber(a.const) then return values.constant(tonumber(a.const)) end
  local types = values.set("number")
  if a.types then
    for name in pairs(a.types) do
      if name ~= "number" and name ~= "string" then types["nil"] = true end
    end
  elseif not a.from then
    types = nil
  end
  return { types = types, id = a.id, from = a.from, why = a.why, call = a.call, converted = true, seconds = a.seconds,
           micros = a.micros, big = a.big,
           frac = a.call and (a.call.name == "incrbyfloat" or a.call.name == "hincrbyfloat") or nil }
end

function library.tostring(w, st, node, args)
  local a = args[1] or values.constant(nil)
  w:tell("text", st, node, a)
  return string_of(a.from, a.why, a.id)
end

function library.ipairs(w, _, _, args)
  w.iterates = args[1]
  return values.anything, nil, true
end
library.pairs = library.ipairs

function library.unpack(_, _, _, args)
  local a = args[1]
  return a and a.elem or values.anything, nil, true
end

function library.error(w, st, node)
  w:tell("raise", st, node)
  st.live = false
  return values.anything
end

function library.assert(w, st, node, args)
  w:tell("assert", st, node)
  return args[1] and values.narrow(args[1], values.falsy, false)
end

local function protected(w, st, node, args, from)
  local before = st:copy()
  local fn = args[1] or values.anything
  local rest = {}
  for i = from, #args do rest[#rest + 1] = args[i] end
  local value = calls.call(w, st, node, values.with(fn, { guarded = true }), rest, false)
  local joined = state.join(before, st)
  if joined then st:become(joined) end
  st.live = true
  local result = value and values.join(value, string_of("foreign", "an error's text")) or values.anything
  return values.of(values.set("true", "false")), { [2] = result }, true
end
function library.pcall(w, st, node, args) return protected(w, st, node, args, 2) end
function library.xpcall(w, st, node, args) return protected(w, st, node, args, 3) end

library["table.insert"] = function(_, _, _, args)
  local list, v = args[1], args[#args]
  if list and list.items and v and #args > 1 then
    list.elem, list.changed = values.join(list.elem or v, v), true
  end
  return values.anything
end

library["table.concat"] = function(w, st, node, args)
  local e = args[1] and args[1].elem
  if e then w:tell("text", st, node, e) end
  return string_of(e and (e.from == "keys" and "built" or e.from), e and e.why, "@" .. node.offset)
end
library["table.getn"] = function(_, _, node) return number_at(node) end

for _, name in ipairs({ "floor", "ceil" }) do
  library["math." .. name] = function(_, _, node, args)
    return number_at(node, { big = args[1] and args[1].big, seconds = args[1] and args[1].seconds })
  end
end
for _, name in ipairs({ "max", "min", "abs", "fmod", "mod" }) do
  library["math." .. name] = function(w, st, node, args)
    local big, frac
    for _, a in ipairs(args) do
      w:tell("arithmetic", st, node, "math." .. name, a, a)
      big, frac = big or a.big, frac or a.frac
    end
    return number_at(node, { big = big, frac = frac })
  end
end
library["math.random"] = function(_, _, node, args) return number_at(node, { frac = #args == 0 or nil }) end
for _, name in ipairs({ "sqrt", "log", "exp", "sin", "cos", "pow" }) do
  library["math." .. name] = function(_, _, node) return number_at(node, { frac = name ~= "pow" or nil }) end
end

local function text_function(_, _, node, args)
  local from, why
  for _, a in ipairs(args) do
    if a.from == "keys" or a.from == "built" then from, why = "built", nil
    elseif a.from and from ~= "built" then from, why = a.from, a.why end
  end
  return string_of(from, why, "@" .. node.offset)
end
for _, name in ipairs({ "sub", "upper", "lower", "rep", "reverse", "format", "gsub", "char" }) do
  library["string." .. name] = text_function
end
library["string.len"] = function(_, _, node) return number_at(node) end
library["redis.sha1hex"] = text_function
library["cjson.encode"] = function(w, st, node, args)
  if args[1] and args[1].elem then w:tell("text", st, node, args[1].elem) end
  for _, v in pairs(args[1] and args[1].fields or {}) do w:tell("text", st, node, v) end
  return text_function(w, st, node, args)
end

library["redis.register_function"] = function(w, st, node, args)
  local callback = args[2]
  if args[1] and args[1].fields then callback = args[1].fields.callback end
  if callback and callback.closure then w:run_registered(callback.closure, st) end
  return values.unknown("@" .. node.offset)
end
library["redis.error_reply"] = function(_, _, node)
  return { types = values.set("table"), reply = "error", id = "@" .. node.offset }
end
library["redis.status_reply"] = function(_, _, node)
  return { types = values.set("table"), reply = "status", id = "@" .. node.offset }
end

-- ---- redis.call ----

local function seconds_of_time(value)
  value.elem = { types = values.set("string"), from = "foreign", why = "a time", seconds = true, id = "time" }
  return value
end

local function reply_value(call)
  local node, types = call.node, commands.reply_types(call.name)
  if call.pcall and types then
    types = values.set("table")
    for name in pairs(commands.reply_types(call.name)) do types[name] = true end
  end
  if call.name == "set" and call.conditional then types = values.set("table", "false") end
  if (call.name == "lpop" or call.name == "rpop" or call.name == "spop" or call.name == "srandmember") and
      #call.args > 1 then
    types = values.set("table", "false")
  end
  if call.name == "zadd" and commands.option(call, "INCR", 2) then types = values.set("string", "false") end
  if call.name == "set" and commands.option(call, "GET", 3) then types = values.set("string", "false") end
  local value = { types = types, call = call, id = "@" .. node.offset, from = "foreign", why = "a reply" }
  if types and types.table and not commands.is_status(call.name) and not call.pcall then
    value.elem = { from = "foreign", why = "a reply" }
    if call.name == "time" then return seconds_of_time(value) end
  end
  if call.name == "zscore" or call.name == "zincrby" or call.name == "incrbyfloat" then value.big = nil end
  return value
end

local function redis_call(w, st, node, args, open, by_pcall)
  local name = args[1] and args[1].const
  local call = { node = node, pcall = by_pcall, open = open, args = {}, nodes = {}, name_value = args[1],
                 statement = w.as_statement == node,
                 in_loop = w.in_loop > 0 }
  for i = 2, #args do
    call.args[i - 1], call.nodes[i - 1] = args[i], node[i + 1] or node[#node]
  end
  if type(name) ~= "string" then
    if not args[1] or values.only(args[1], "nil", "table", "true", "false", "function") then
      w:tell("commandless", st, node)
    end
    st.wrote = st.wrote or (args[1] and args[1].id == "ARGV" and call) or st.wrote
    w:tell("nameless", st, call)
    return values.unknown("@" .. node.offset)
  end
  call.name = name:lower()
  call.row = w.commands[call.name]
  local sub = call.args[1] and type(call.args[1].const) == "string" and
              w.commands[call.name .. "|" .. call.args[1].const:lower()]
  call.subcommand = sub or nil
  call.places = call.row and commands.key_places(call.subcommand or call.row, call) or {}
  w:tell("command", st, call)
  if call.row then effects.apply(st, call, call.places) end
  w:tell("done", st, call)
  return reply_value(call)
end

-- Calls the value `fn`. Gives its value, further results by position, and whether their number is not known.
function calls.call(w, st, node, fn, args, open)
  if fn.fn == "redis.call" or fn.fn == "redis.pcall" then
    return redis_call(w, st, node, args, open, fn.fn == "redis.pcall" or fn.guarded)
  elseif fn.closure then
    return w.run_closure(w, fn.closure, args, st), nil, true
  elseif fn.fn then
    w:tell("library", st, node, fn.fn, args)
    local lib = library[fn.fn]
    if lib then return lib(w, st, node, args, open) end
    return values.unknown("@" .. node.offset), nil, true
  end
  -- An unknown function may do anything with its arguments.
  for _, arg in ipairs(args) do
    if arg.closure and not w.active[arg.closure.node] then w.run_closure(w, arg.closure, {}, st) st.live = true end
  end
  return values.unknown("@" .. node.offset), nil, true
end

-- text:method(...)
function calls.method(w, st, node, name, args)
  local fn = library["string." .. name]
  if fn then return fn(w, st, node, args) end
  return values.unknown("@" .. node.offset), nil, true
end

return calls
