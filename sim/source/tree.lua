-- tree.lua: Lua under test as luacheck's syntax tree, with places in bytes, for the programs beside it.
--
-- A node has `tag`, `line`, `offset`, `end_offset` (first and last byte, from 1) and its parts in [1], [2], ...;
-- luacheck.parser says which. Parentheses are nodes of their own ("Paren"). Lists of names, expressions and statements
-- have no tag.
local decoder = require "luacheck.decoder"
local parser = require "luacheck.parser"

local tree = {}

-- A problem of the input; the host makes locksim's error of it. `at` is a node, a range or nil.
function tree.refuse(source, at, message, hint)
  local line, col
  if at then line, col = tree.place(source, at.offset) end
  error({ path = source.path, line = line, col = col, message = message, hint = hint, text = source.text }, 0)
end

-- The line and column, both from 1, of a byte.
function tree.place(source, offset)
  local lines, low, high = source.lines, 1, #source.lines
  while low < high do
    local middle = math.floor((low + high + 1) / 2)
    if lines[middle] <= offset then low = middle else high = middle - 1 end
  end
  return low, offset - lines[low] + 1
end

-- A node's own text.
function tree.text(source, node)
  return source.text:sub(node.offset, node.end_offset)
end

-- The error of Lua 5.1 for a text that it cannot load: line and message; nil if it can. `name` is used for the file.
function tree.compile_error(text)
  if text:sub(1, 1) == "\27" then return 1, "this is compiled Lua, not Lua's text" end
  local chunk, why = loadstring(text, "=?")
  if chunk then return nil end
  local line, words = why:match("^%?:(%d+): (.*)$")
  return tonumber(line) or 1, words or why
end

-- Redis reads a first line such as `#!lua flags=no-writes` by itself; here it becomes a comment of the same length.
local function without_shebang(text)
  if text:sub(1, 2) == "#!" then return "--" .. text:sub(3) end
  return text
end

local function line_starts(text)
  local lines, at = { 1 }, 1
  while true do
    local newline = text:find("\n", at, true)
    if not newline then return lines end
    at = newline + 1
    lines[#lines + 1] = at
  end
end

-- The position of a syntax error of luacheck's parser; nil if there is none.
local function parse_error(source, raised)
  if type(raised) ~= "table" or not raised.offset then return nil end
  local line, col = tree.place(source, math.min(raised.offset, #source.text + 1))
  return line, col, raised.msg
end

local function refuse_at(source, line, col, message)
  error({ path = source.path, line = line, col = col, message = message, text = source.text,
          hint = "Redis 7.0 reads scripts with Lua 5.1" }, 0)
end

-- The text as { path =, text =, lines =, block =, comments = }; raises where Lua 5.1 would not load it.
function tree.parse(path, text)
  local source = { path = path, text = text, lines = line_starts(text) }
  local readable = without_shebang(text)
  local bad_line, words = tree.compile_error(readable)
  if bad_line and readable:sub(1, 1) == "\27" then refuse_at(source, 1, 1, words) end
  -- A byte that is no UTF-8 makes luacheck count in bytes, as Lua does; behind a comment's sign it means nothing.
  local ok, block, comments = pcall(parser.parse, decoder.decode(readable .. "\n--\255"))
  if bad_line then
    local line, col, message = parse_error(source, not ok and block or nil)
    -- luacheck accepts the syntax of newer Luas; then only the line is known.
    if line and line == bad_line then refuse_at(source, line, col, message) end
    refuse_at(source, bad_line, line == bad_line and col or nil, words)
  end
  if not ok then
    local line, col, message = parse_error(source, block)
    refuse_at(source, line, col, message or tostring(block))
  end
  source.block = block
  source.comments = comments
  return source
end

-- The first byte after `from` that is neither blank nor in a comment.
function tree.skip_blank(text, from)
  while true do
    local at = text:match("^[ \t\r\n\f\v]*()", from)
    if text:sub(at, at + 1) ~= "--" then return at end
    local equals = text:match("^%-%-%[(=*)%[", at)
    if equals then
      local _, last = text:find("]" .. equals .. "]", at, true)
      from = (last or #text) + 1
    else
      from = text:match("^[^\r\n]*()", at)
    end
  end
end

local symbols = {
  add = "+", sub = "-", mul = "*", div = "/", mod = "%", pow = "^", concat = "..", eq = "==", ne = "~=", lt = "<",
  le = "<=",
  gt = ">", ge = ">=", ["and"] = "and", ["or"] = "or", ["not"] = "not", unm = "-", len = "#",
}
-- How an operator of an "Op" node is written.
function tree.symbol(node)
  return symbols[node[1]]
end

-- The bytes of an "Op" node's operator.
function tree.operator_range(source, node)
  local first = node[3] and tree.skip_blank(source.text, node[2].end_offset + 1) or node.offset
  local last = first + #tree.symbol(node) - 1
  assert(source.text:sub(first, last) == tree.symbol(node))
  return { offset = first, end_offset = last }
end

-- Calls visit(node, parent, index) for each node below `list` (a block, a list or a node), parents first, in the order
-- of the text. Where it returns true, what lies below is passed over.
function tree.walk(list, visit)
  for i = 1, #list do
    local part = list[i]
    if type(part) == "table" then
      if not part.tag or not visit(part, list, i) then tree.walk(part, visit) end
    end
  end
end

-- "redis.call" or "redis.pcall" if that is what a "Call" node calls by name, with the node's command (a "String" node
-- or nil).
function tree.redis_call(node)
  if node.tag ~= "Call" or node[1].tag ~= "Index" then return nil end
  local object, field = node[1][1], node[1][2]
  if object.tag ~= "Id" or object[1] ~= "redis" or field.tag ~= "String" then return nil end
  if field[1] ~= "call" and field[1] ~= "pcall" then return nil end
  return "redis." .. field[1], node[2] and node[2].tag == "String" and node[2] or nil
end

-- For tests and the curious: one row per node: tag, line, column, first byte, last byte.
function tree.rows(path, text)
  local source, rows = tree.parse(path, text), {}
  tree.walk(source.block, function(node)
    local line, col = tree.place(source, node.offset)
    rows[#rows + 1] = { node.tag, line, col, node.offset, node.end_offset }
  end)
  return rows
end

return tree
