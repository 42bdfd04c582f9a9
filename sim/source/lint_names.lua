-- lint_names.lua: what luacheck finds about names, with Redis 7.0's globals as its standard: unknown and written
-- globals, unused and hidden names, code that is never reached.
local luacheck = require "luacheck"

local names = {}

local function fields(list)
  local all = {}
  for name in list:gmatch("%S+") do all[name] = {} end
  return { fields = all }
end

-- Observed on Debian's redis-server 7.0.15.
local standard = {
  read_globals = {
    KEYS = { other_fields = true, read_only = false }, ARGV = { other_fields = true, read_only = false },
    redis = fields([[call pcall error_reply status_reply sha1hex log setresp set_repl replicate_commands
      breakpoint debug acl_check_cmd LOG_DEBUG LOG_VERBOSE LOG_NOTICE LOG_WARNING REPL_NONE REPL_AOF REPL_SLAVE
      REPL_REPLICA REPL_ALL REDIS_VERSION REDIS_VERSION_NUM]]),
    cjson = fields([[encode decode null new encode_sparse_array encode_max_depth decode_max_depth
      encode_number_precision encode_keep_buffer encode_invalid_numbers decode_invalid_numbers _NAME _VERSION]]),
    cmsgpack = fields("pack unpack unpack_one unpack_limit _NAME _VERSION _COPYRIGHT _DESCRIPTION"),
    struct = fields("pack unpack size"),
    bit = fields("tobit tohex bnot band bor bxor lshift rshift arshift rol ror bswap"),
    string = fields("byte char dump find format gfind gmatch gsub len lower match rep reverse sub upper"),
    table = fields("concat foreach foreachi getn insert maxn remove setn sort"),
    math = fields([[abs acos asin atan atan2 ceil cos cosh deg exp floor fmod frexp huge ldexp log log10 max min
      mod modf pi pow rad random randomseed sin sinh sqrt tan tanh]]),
    coroutine = fields("create resume running status wrap yield"),
  },
}
for name in ([[_G _VERSION assert collectgarbage error gcinfo getmetatable ipairs load loadstring next pairs
  pcall rawequal rawget rawset select setmetatable tonumber tostring type unpack xpcall]]):gmatch("%S+") do
  standard.read_globals[name] = { other_fields = name == "_G" }
end
names.standard = standard

-- A library of Redis functions registers them, and these get their keys and arguments as parameters.
local function of_library()
  local globals = {}
  for name, what in pairs(standard.read_globals) do globals[name] = what end
  globals.KEYS, globals.ARGV = nil, nil
  globals.redis = { fields = { register_function = {} } }
  for name, what in pairs(standard.read_globals.redis.fields) do globals.redis.fields[name] = what end
  return { read_globals = globals }
end
local library_standard = of_library()

local instead = {
  print = "redis.log(redis.LOG_NOTICE, ...)", os = "redis.call('TIME'): Redis 7.0 has no os",
  io = "scripts reach no files", KEYS = "a function's keys are its first parameter",
  ARGV = "a function's arguments are its second parameter",
  require = "scripts load no modules: put the code into the script",
  ["redis.publish"] = "redis.call('publish', channel, message)",
  getfenv = "Debian's Redis leaves it out", setfenv = "Debian's Redis leaves it out", ["table.unpack"] = "unpack(...)",
  ["table.pack"] = "{ ... }", dofile = "scripts reach no files", loadfile = "scripts reach no files",
  debug = "redis.log(...)",
}

local function full_name(w)
  local name = w.name or "?"
  for _, field in ipairs(w.indexing or {}) do
    name = type(field) == "string" and name .. "." .. field or name .. "[...]"
  end
  return name
end

local function unknown(w)
  local name = full_name(w)
  local first = name:match("^[^.%[]+")
  return "LS002", ("Redis has no '%s' for scripts"):format(name),
         instead[name] or instead[first] or "is it a local declared elsewhere?"
end

local function written(w)
  return "LS003", ("the global '%s' is written: Redis refuses that"):format(full_name(w)), "local " .. (w.name or "") ..
         " = ..."
end

local function unused(what)
  return function(w) return "LS004", what:format(w.name or "") end
end

local readers = {
  ["111"] = written, ["112"] = written, ["121"] = written, ["122"] = written, ["131"] = false, ["142"] = written,
  ["113"] = unknown, ["143"] = unknown,
  ["211"] = unused("'%s' is never used"), ["221"] = unused("'%s' never gets a value"),
  ["231"] = unused("'%s' is set and never read"),
  ["311"] = unused("what '%s' is set to here is never read"), ["321"] = unused("'%s' is read before it has a value"),
  ["331"] = unused("what '%s' is changed to is never read"),
  ["411"] = unused("this '%s' hides another one of the same name"),
  ["412"] = unused("this '%s' hides an argument of the same name"),
  ["421"] = unused("this '%s' hides another one of the same name"),
  ["431"] = unused("this '%s' hides one outside of the function"),
  ["511"] = unused("this code is never reached"), ["521"] = unused("this label is never used"),
  ["531"] = unused("more values than names to take them"),
  ["532"] = unused("fewer values than names: the rest are nil"),
  ["541"] = unused("this block is empty"), ["542"] = unused("nothing happens in this branch"),
  ["571"] = unused("this loop never runs"),
}

-- `--- @include "file"`: the client puts that file's functions here before Redis sees the script. They are not known.
local function includes_others(text)
  return ("\n" .. text):find("\n%s*%-%-%-%s*@include%s") ~= nil
end

-- Calls add(code, line, col, end_col, message, hint) for each.
function names.check(text, add, is_library)
  local report = luacheck.get_report(text .. "\n--\255")
  local known = is_library and library_standard or standard
  local found = luacheck.process_reports({ report },
                                         { std = known, max_line_length = false, max_cyclomatic_complexity = false })[1]
  local own = {}                        -- globals that the script writes: one finding is enough
  for _, w in ipairs(found) do own[w.name or ""] = own[w.name or ""] or readers[w.code] == written end
  local open = includes_others(text)
  for _, w in ipairs(found) do
    local read = readers[w.code]
    if read and not (w.code == "113" and (own[w.name] or open and not instead[w.name])) then
      local code, message, hint = read(w)
      add(code, w.line, w.column, w.end_column, message, hint)
    end
  end
end

return names
