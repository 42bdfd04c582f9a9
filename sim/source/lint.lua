-- lint.lua: findings about a Redis script without running it. The rules are in the files beside this one.
local commands = require "lint_commands"
local lint_names = require "lint_names"
local syntax = require "lint_syntax"
local allow = require "lint_allow"
local clients = require "lint_clients"
local tree = require "tree"
local walk = require "lint_walk"

local lint = {}

local rule_files = { "lint_rules_keys", "lint_rules_expiry", "lint_rules_values", "lint_rules_flow",
                     "lint_rules_commands" }

local function load_rules()
  local events = {}
  for _, name in ipairs(rule_files) do
    for event, fn in pairs(require(name)) do
      events[event] = events[event] or {}
      table.insert(events[event], fn)
    end
  end
  return events
end

-- What stops the script for certain is an error; the rest are warnings.
local errors = { LS001 = true, LS002 = true, LS003 = true, LS009 = true, LS017 = true, LS024 = true }

local function new_findings()
  local found, seen = {}, {}
  local function add(code, line, col, end_col, message, hint, is_mild)
    local key = code .. ":" .. line .. ":" .. col
    if not seen[key] then
      seen[key] = true
      found[#found + 1] = { line = line, col = col, end_col = math.max(end_col or col, col), code = code,
                            message = message, hint = hint or "",
                         is_mild = is_mild }
    end
  end
  return found, add
end

local function by_place(a, b)
  if a.line ~= b.line then return a.line < b.line end
  if a.col ~= b.col then return a.col < b.col end
  return a.code < b.code
end

local function to_rows(found)
  table.sort(found, by_place)
  local rows = {}
  for _, f in ipairs(found) do
    rows[#rows + 1] = { f.line, f.col, f.end_col, f.code, errors[f.code] and not f.is_mild and "error" or "warning",
                        f.message, f.hint }
  end
  return rows
end

local function too_much(add)
  add("LS001", 1, 1, 1, "this script is too large or too deep to be looked into as a whole",
      "split it; what is said here was found before")
end

local function analyse(source, options, add)
  local ok = pcall(lint_names.check, source.text, add, options.library)
  local function at_node(code, node, message, hint, is_mild)
    local line, col = tree.place(source, node.offset)
    local last_line, last_col = tree.place(source, node.end_offset or node.offset)
    add(code, line, col, last_line == line and last_col or col, message, hint, is_mild)
  end
  local walked, why = pcall(walk.script, source, options.commands, options.rules, at_node, options.keys, options.args)
  if walked and ok then return end
  local deep = not walked and (type(why) == "table" and why.too_much or tostring(why):find("stack overflow", 1, true))
  if deep or not ok then too_much(add) else error(why, 0) end
end

-- The syntax tree. Lua 5.1 accepts a backslash before any letter, luacheck does not: such a backslash is read as a
-- blank.
local function parse(path, text)
  for _ = 1, 100 do
    local ok, source = pcall(tree.parse, path, text)
    if ok or type(source) ~= "table" or not source.col or not source.message:find("^invalid escape sequence") then
      return ok, source, text
    end
    local at = 1
    for _ = 2, source.line do at = text:find("\n", at, true) + 1 end
    local slash = at + source.col - 1
    if text:sub(slash, slash) ~= "\\" then return ok, source, text end
    text = text:sub(1, slash - 1) .. " " .. text:sub(slash + 1)
  end
  return pcall(tree.parse, path, text)
end

-- What stands for the first line's #! in a text that has its place in client code (lint.texts).
local SHEBANG = "--#!"

-- Is it a library of functions: does its first line name one?
local function is_library(text)
  local engine = text:match("^#!([^\n]*)") or text:match("^%s*" .. SHEBANG:gsub("%-", "%%-") .. "([^\n]*)")
  return engine ~= nil and engine:find("%s[nN][aA][mM][eE]=") ~= nil
end

-- path, text, rows of commands (lint_commands.read), how many KEYS and ARGV the caller passes ("" if that is not
-- known). Returns rows of line, col, last col, code, "error" or "warning", message, hint.
function lint.check(path, text, rows, keys, args)
  local found, add = new_findings()
  local wrong = syntax.check(path, text)
  if wrong then
    add("LS001", wrong.line, wrong.col, wrong.col, wrong.message, wrong.hint)
    return to_rows(found)
  end
  local ok, source = parse(path, text)
  if not ok then
    if type(source) ~= "table" then too_much(add)
    else add("LS001", source.line or 1, source.col or 1, source.col or 1, "cannot be looked into: " .. source.message,
             source.hint) end
    return to_rows(found)
  end
  analyse(source, { commands = commands.read(rows), rules = load_rules(), keys = tonumber(keys), args = tonumber(args),
                    library = is_library(text) }, add)
  return to_rows(allow.apply(source, found, add, "LS"))
end

-- Is this text a Redis script: does it use KEYS, ARGV or redis as globals? A text that cannot be parsed counts as one
-- if it contains one of these names.
function lint.is_script(path, text)
  local ok, source = pcall(tree.parse, path, text)
  if not ok then return { { text:find("KEYS[", 1, true) ~= nil or text:find("redis.call", 1, true) ~= nil } } end
  local looked, report = pcall(require("luacheck").get_report, source.text)
  if not looked then return { { true } } end             -- too deep for luacheck: lint.check says so
  for _, w in ipairs(report.warnings) do
    if w.code == "113" and (w.name == "KEYS" or w.name == "ARGV" or w.name == "redis") then return { { true } } end
  end
  return { { false } }
end

-- Client code: one row, whether it is; and then rows as those of lint.check.
function lint.clients(path, text)
  local found, add = new_findings()
  local ok, source = pcall(tree.parse, path, text)
  if not ok or not clients.is_client(source) then return { { false } } end
  clients.check(source, function(code, node, message, hint)
    local line, col = tree.place(source, node.offset)
    local last_line, last_col = tree.place(source, node.end_offset)
    add(code, line, col, last_line == line and last_col or col, message, hint)
  end)
  local rows = to_rows(allow.apply(source, found, add, "LC"))
  table.insert(rows, 1, { true })
  return rows
end

-- The bytes of a script that is a literal in client code; nil for one with escapes, whose positions would not be those
-- of the file.
local function written_out(text, node)
  local literal = text:sub(node.offset, node.end_offset)
  local bracket = literal:match("^%[=*%[")
  if not bracket and literal:find("\\", 1, true) then return nil end
  local size = bracket and #bracket or 1
  return node.offset + size, node.end_offset - size
end

-- The scripts that client code passes to `script.text` as literals: for each a row with a text that has it in its
-- place, with blanks before it.
function lint.texts(path, text)
  local ok, source = pcall(tree.parse, path, text)
  local rows = {}
  if not ok then return rows end
  tree.walk(source.block, function(node)
    local called = node.tag == "Call" and node[1]
    if not called or called.tag ~= "Index" or called[1][1] ~= "script" or called[2][1] ~= "text" or #node ~= 2 or
        node[2].tag ~= "String" then
      return
    end
    local first, last = written_out(text, node[2])
    if not first then return end
    local before = text:sub(1, first - 1):gsub("[^\r\n]", " ")
    local body = text:sub(first, last):gsub("^(\r?\n?)#!", "%1" .. SHEBANG)
    rows[#rows + 1] = { before .. body }
  end)
  return rows
end

return lint
