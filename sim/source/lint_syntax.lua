-- lint_syntax.lua: would Redis' Lua 5.1 load this text at all, and if not, at which byte does it stop?
local decoder = require "luacheck.decoder"
local lexer = require "luacheck.lexer"
local tree = require "tree"

local syntax = {}

-- The byte behind each token, in order; as far as luacheck's lexer gets.
local function token_ends(text)
  local state = lexer.new_state(decoder.decode(text .. "\n--\255"))
  local starts, ends = {}, {}
  while true do
    local ok, token, _, _, offset = pcall(lexer.next_token, state)
    if not ok or not token or token == "eof" or offset > #text then return starts, ends end
    if token ~= "short_comment" and token ~= "long_comment" then
      starts[#starts + 1], ends[#ends + 1] = offset, math.min(state.offset - 1, #text)
    end
  end
end

-- Does Lua refuse the beginning of the text up to `last`, whatever may follow?
local function refused(text, last)
  local _, why = tree.compile_error(text:sub(1, last))
  return why ~= nil and not why:find("<eof>", 1, true)
end

-- The first token with which the text is wrong: beginnings are fine up to it, and wrong from there on.
local function bad_token(text)
  local starts, ends = token_ends(text)
  local low, high = 1, #ends
  if high == 0 or not refused(text, ends[high]) then return nil end
  while low < high do
    local middle = math.floor((low + high) / 2)
    if refused(text, ends[middle]) then high = middle else low = middle + 1 end
  end
  return starts[low]
end

local function place(text, offset)
  local line, at = 1, 1
  for newline in text:gmatch("()\n") do
    if newline >= offset then break end
    line, at = line + 1, newline + 1
  end
  return line, offset - at + 1
end

local hints = {
  { "//", "Lua 5.1 has no integer division: math.floor(a / b)" }, { "<<", "use bit.lshift" },
  { ">>", "use bit.rshift" },
  { "&", "use bit.band" }, { "|", "use bit.bor" }, { "!=", "not equal is ~= in Lua" }, { "+=", "write a = a + b" },
  { "::", "Lua 5.1 has no labels" },
}

local function hint_for(text, offset)
  for _, hint in ipairs(hints) do
    local near = text:sub(math.max(1, offset - 1), offset + 1)
    if near:find(hint[1], 1, true) then return hint[2] end
  end
  if text:sub(math.max(1, offset - 20), offset):find("goto%s+%S*$") or text:find("^goto%s", offset) then
    return "Lua 5.1 has no goto"
  end
  return "Redis 7.0 reads scripts with Lua 5.1"
end

local function shebang_problem(text)
  local line = text:match("^#!([^\r\n]*)")
  if not line then return nil end
  local engine, rest = line:match("^(%S*)(.*)$")
  if engine ~= "lua" then
    return { line = 1, col = 3, message = ("Redis has no engine '%s'"):format(engine:sub(1, 40)), hint = "#!lua" }
  end
  local library = rest:match("%s[nN][aA][mM][eE]=(%S*)")
  if library and not library:match("^[%w_]+$") then
    return { line = 1, col = 1, message = ("'%s' is no name of a library"):format(library:sub(1, 40)),
             hint = "letters, digits and _" }
  end
  for word in (library and "" or rest):gmatch("%S+") do
    local flags = word:match("^flags=(.*)$")
    if not flags then
      return { line = 1, col = 1, message = ("Redis does not know '%s' here"):format(word:sub(1, 40)),
               hint = "#!lua flags=no-writes" }
    end
    for flag in flags:gmatch("[^,]+") do
      if not ({ ["no-writes"] = 1, ["allow-oom"] = 1, ["allow-stale"] = 1, ["no-cluster"] = 1,
                ["allow-cross-slot-keys"] = 1 })[flag] then
        return { line = 1, col = 1, message = ("Redis knows no flag '%s'"):format(flag:sub(1, 40)),
                 hint = "no-writes, allow-oom, allow-stale, no-cluster, allow-cross-slot-keys" }
      end
    end
  end
end

-- nil, or { line =, col =, message =, hint = }.
function syntax.check(_, text)
  local problem = shebang_problem(text)
  if problem then return problem end
  local readable = text:sub(1, 2) == "#!" and "--" .. text:sub(3) or text
  local line, why = tree.compile_error(readable)
  if not why then return nil end
  local offset = readable:sub(1, 1) ~= "\27" and bad_token(readable)
  if not offset then return { line = line, col = 1, message = why, hint = "Redis 7.0 reads scripts with Lua 5.1" } end
  local at_line, col = place(readable, offset)
  return { line = at_line, col = col, message = why, hint = hint_for(readable, offset) }
end

return syntax
