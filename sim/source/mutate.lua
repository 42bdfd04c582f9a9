-- mutate.lua: every small mistake that a developer could make in a script or a driver, each as one replacement of some
-- bytes.
--
-- mutate.all(path, text) of a script, mutate.driver of a driver and mutate.scenario of the driver in a scenario's own
-- file return one row per mutant, in the order of the text: operator, line, column, what stood there and what stands
-- there now (both on one line, for people), first byte and last byte (last < first: an insertion), the new bytes, and
-- the first and the last line of what has to be reached for anybody to notice. Mutants that Lua 5.1 does not load, and
-- those whose text another one has, are left out.
local tree = require "tree"
local commands = require "mutate_calls"
local clients = require "mutate_clients"

local mutate = {}

-- For people: one line, not too long.
local function shown(text)
  text = text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
  if #text > 72 then text = text:sub(1, 69) .. "..." end
  if text == "" then return "nothing" end
  return text
end

-- A mutant: `range` of the text becomes `new`; `of` is the range that must be reached; `from` and `to` are for people.
local function add(list, operator, range, new, of, from, to)
  local source = list.source
  list[#list + 1] = {
    operator = operator, first = range.offset, last = range.end_offset, new = new,
    from = shown(from or tree.text(source, range)), to = shown(to or new),
    line_from = (tree.place(source, of.offset)), line_to = (tree.place(source, of.end_offset)),
  }
end

local function before(node)
  return { offset = node.offset, end_offset = node.offset - 1 }
end

-- Conditions
-- ---------------------------------------------------------------------------------------------------------------

local swapped = { eq = "~=", ne = "==", lt = "<=", le = "<", gt = ">=", ge = ">", add = "-", sub = "+", mul = "/",
                  div = "*",
                  ["and"] = "or", ["or"] = "and" }
local comparisons = { eq = true, ne = true, lt = true, le = true, gt = true, ge = true }

local function literal(node)
  return node.tag == "True" or node.tag == "False" or node.tag == "Nil" or node.tag == "Number" or node.tag == "String"
end

-- The parts of `a and b` that decide: each can be assumed true; those of `a or b` can be left out.
local function force_parts(list, node, of)
  while node.tag == "Paren" do node = node[1] end
  if node.tag ~= "Op" or (node[1] ~= "and" and node[1] ~= "or") then return end
  for i = 2, 3 do
    local part = node[i]
    if not literal(part) then add(list, "force", part, node[1] == "and" and "true" or "false", of) end
    force_parts(list, part, of)
  end
end

local function condition(list, node)
  local text = tree.text(list.source, node)
  local plain = node.tag == "Op" and (node[1] == "eq" or node[1] == "ne")
  if not plain and not literal(node) then add(list, "negate", node, "not (" .. text .. ")", node) end
  if node.tag ~= "True" then add(list, "force", node, "true", node) end
  if node.tag ~= "False" then add(list, "force", node, "false", node) end
  force_parts(list, node, node)
end

-- Expressions
-- --------------------------------------------------------------------------------------------------------------

-- Of KEYS and ARGV: every index that the script uses, in order.
local function indices(block)
  local used, seen = { KEYS = {}, ARGV = {} }, { KEYS = {}, ARGV = {} }
  tree.walk(block, function(node)
    local name = node.tag == "Index" and node[1].tag == "Id" and node[1][1]
    local n = used[name] and node[2].tag == "Number" and tonumber(node[2][1])
    if n and not seen[name][n] then
      seen[name][n] = true
      table.insert(used[name], n)
    end
  end)
  table.sort(used.KEYS)
  table.sort(used.ARGV)
  return used
end

local function next_of(list, n)
  for i = 1, #list do
    if list[i] == n then return list[i % #list + 1] end
  end
end

local function operator(list, node, of)
  local source = list.source
  if swapped[node[1]] then
    local range = tree.operator_range(source, node)
    add(list, "swap", range, swapped[node[1]], of, tree.text(source, node),
        source.text:sub(node.offset, range.offset - 1) .. swapped[node[1]] ..
        source.text:sub(range.end_offset + 1, node.end_offset))
  elseif node[1] == "unm" or node[1] == "not" then
    add(list, node[1] == "not" and "negate" or "swap", node, tree.text(source, node[2]), of)
  end
end

local function number_texts(text)
  local n = tonumber(text)
  if not n then return {} end
  if n == 0 then return { "1" } end
  return { string.format("%.14g", n + 1), "0" }
end

local function constant(list, node, of)
  if node.tag == "Number" then
    for _, new in ipairs(number_texts(tree.text(list.source, node))) do add(list, "constant", node, new, of) end
  elseif node.tag == "True" or node.tag == "False" then
    add(list, "constant", node, node.tag == "True" and "false" or "true", of)
  elseif node.tag == "String" then
    local value = node[1]
    if tonumber(value) then
      for _, new in ipairs(number_texts(value)) do add(list, "constant", node, "'" .. new .. "'", of) end
    elseif value ~= "" then
      add(list, "constant", node, "''", of)
    end
  end
end

-- A call whose reply is used: other commands, other replies, arguments left out.
local function call(list, node, of, compared)
  local name, command = tree.redis_call(node)
  if not name then return end
  for _, change in ipairs(commands.changes(list.source, node, command, compared)) do
    add(list, change.operator, change.range, change.new, of, tree.text(list.source, node), change.shown)
  end
end

local expression
local function expressions(list, nodes, of)
  for i = 1, #nodes do
    if type(nodes[i]) == "table" then expression(list, nodes[i], of) end
  end
end

-- What drivers can get wrong in a call: see mutate_clients.lua.
local function client_call(list, node, of)
  for _, change in ipairs(clients.changes(list.source, node)) do
    add(list, change.operator, change.range, change.new, of)
  end
end

function expression(list, node, of, compared)
  local tag = node.tag
  if list.clients then
    if clients.is_note(node) then return end
    if tag == "Call" or tag == "Invoke" then client_call(list, node, of) end
  end
  if tag == "Op" then
    operator(list, node, of)
    for i = 2, #node do expression(list, node[i], of, comparisons[node[1]] and of.is_condition) end
  elseif tag == "Index" and node[1].tag == "Id" and list.used[node[1][1]] and node[2].tag == "Number" then
    local array = list.used[node[1][1]]
    local other = next_of(array, tonumber(node[2][1]))
    if #array > 1 then
      add(list, "index", node[2], tostring(other), of, tree.text(list.source, node), node[1][1] .. "[" .. other .. "]")
    end
  elseif tag == "Index" then
    expression(list, node[1], of)
    if node[2].tag ~= "String" then expression(list, node[2], of) end
  elseif tag == "Call" then
    call(list, node, of, compared)
    local is_redis = tree.redis_call(node)
    if not is_redis then expression(list, node[1], of) end
    for i = is_redis and 3 or 2, #node do expression(list, node[i], of) end
  elseif tag == "Invoke" then
    expression(list, node[1], of)
    for i = 3, #node do expression(list, node[i], of) end
  elseif tag == "Function" then
    mutate.block(list, node[2])
  elseif tag == "Table" or tag == "Pair" or tag == "Paren" then
    expressions(list, node, of)
  else
    constant(list, node, of)
  end
end

-- Statements
-- ---------------------------------------------------------------------------------------------------------------

-- A condition's range, marked: a comparison in it is forced as a whole anyway.
local function judged(list, node)
  condition(list, node)
  expression(list, node, { offset = node.offset, end_offset = node.end_offset, is_condition = true }, true)
end

local droppable = { Call = "drop call", Invoke = "drop call", Set = "drop", If = "drop", While = "drop",
                    Repeat = "drop", Fornum = "drop", Forin = "drop", Do = "drop", Return = "drop return",
                             Break = "drop break" }

-- Without a dropped statement the next one could continue the previous one ("f()" before "(g)()"): a semicolon keeps
-- them apart.
local function drop(list, node)
  local operator_name = droppable[node.tag]
  if not operator_name or list.clients and clients.is_note(node) then return end
  local name, command = tree.redis_call(node)
  if name and command and commands.is_expire(command[1]) then operator_name = "drop expire" end
  local of = node
  if node.tag == "If" or node.tag == "While" then of = node[1] end
  local keyword = ({ If = "if ... end", While = "while ... end", Repeat = "repeat ... until", Fornum = "for ... end",
                     Forin = "for ... end",
                     Do = "do ... end" })[node.tag]
  add(list, operator_name, node, "", of, keyword, "nothing")
end

local function reply(list, node)
  for i = 1, #node do
    if node[i].tag == "Nil" then
      add(list, "reply", node[i], "1", node)
    elseif not literal(node[i]) then
      add(list, "reply", node[i], "nil", node)
    end
  end
  if #node == 0 then add(list, "reply", node, "return 1", node) end
end

local function leave_early(list, block, i)
  local node = block[i]
  if node.tag == "Local" or node.tag == "Localrec" or node.tag == "Return" or node.tag == "Break" then return end
  local of = { offset = node.offset, end_offset = node.offset }
  add(list, "return early", before(node), "do return end ", of,
      "before " .. tree.text(list.source, node):match("^[^\r\n]*"), "return")
end

local function reorder(list, one, two)
  if not (one and two) then return end
  local both = list.clients and clients.may_change_places(one, two) or tree.redis_call(one) and tree.redis_call(two)
  if not both then return end
  local source = list.source
  local first, second = tree.text(source, one), tree.text(source, two)
  if first == second then return end
  local between = source.text:sub(one.end_offset + 1, two.offset - 1)
  add(list, "reorder", { offset = one.offset, end_offset = two.end_offset }, second .. between .. first,
      { offset = one.offset, end_offset = two.end_offset }, first .. "; " .. second, second .. "; " .. first)
end

-- The error behind a call's result, or behind nil, never arrives.
local function swallow(list, values, several)
  local last = values and values[#values]
  if not (last and several) then return end
  if last.tag == "Call" or last.tag == "Invoke" then
    add(list, "swallow error", last, "(" .. tree.text(list.source, last) .. ")", last)
  elseif values.tag == "Return" and #values == 2 and values[1].tag == "Nil" then
    add(list, "swallow error", values, "return nil", values, nil, "return nil")
  end
end

local function statement(list, node)
  local tag = node.tag
  if tag == "If" then
    for i = 1, #node - 1, 2 do judged(list, node[i]) mutate.block(list, node[i + 1]) end
    if #node % 2 == 1 then mutate.block(list, node[#node]) end
  elseif tag == "While" then
    judged(list, node[1])
    mutate.block(list, node[2])
  elseif tag == "Repeat" then
    mutate.block(list, node[1])
    judged(list, node[2])
  elseif tag == "Fornum" then
    for i = 2, #node - 1 do expression(list, node[i], node[i]) end
    mutate.block(list, node[#node])
  elseif tag == "Forin" then
    expressions(list, node[2], node[2][1])
    mutate.block(list, node[3])
  elseif tag == "Do" then
    mutate.block(list, node)
  elseif tag == "Set" or tag == "Local" or tag == "Localrec" then
    if list.clients then swallow(list, node[2], #node[1] > 1) end
    if node[2] and not (list.clients and clients.is_view(node)) then expressions(list, node[2], node) end
  elseif tag == "Return" then
    reply(list, node)
    if list.clients then swallow(list, node, true) end
    expressions(list, node, node)
  elseif tag == "Call" or tag == "Invoke" then
    expression(list, node, node)
  end
end

function mutate.block(list, block)
  for i = 1, #block do
    drop(list, block[i])
    leave_early(list, block, i)
    reorder(list, block[i], block[i + 1])
    statement(list, block[i])
  end
end

-- The list -------------------------------------------------------------------------------------------------------

local function mutated(text, m)
  return text:sub(1, m.first - 1) .. m.new .. text:sub(m.last + 1)
end

local function loads(text)
  return tree.compile_error((text:gsub("^#!", "--"))) == nil
end

-- Equal for two mutants exactly if their texts are: the first position where the text differs from the script, with the
-- old and new text there.
local function key(text, m)
  local shift = #m.new - (m.last - m.first + 1)
  local function byte(i)
    if i < m.first then return text:byte(i) end
    if i < m.first + #m.new then return m.new:byte(i - m.first + 1) end
    return text:byte(i - shift)
  end
  local size, from = #text + shift, m.first
  while from <= size and from <= #text and byte(from) == text:byte(from) do from = from + 1 end
  local last = math.max(m.last, from - 1, from - 1 - shift)
  while last >= from and last + shift >= from and byte(last + shift) == text:byte(last) do last = last - 1 end
  local now = {}
  for i = from, last + shift do now[#now + 1] = string.char(byte(i)) end
  return from .. " " .. last .. " " .. table.concat(now)
end

-- By position; equal positions keep the order of the list.
local function in_order(list)
  for i, m in ipairs(list) do m.number = i end
  table.sort(list, function(a, b)
    if a.first ~= b.first then return a.first < b.first end
    return a.number < b.number
  end)
end

local BYTES_MAX, MUTANTS_MAX = 65536, 2000

-- Statements outside of functions are not dropped from client code: a file without them often cannot be loaded.
local function outside_functions(list, block, is_scenario)
  for i = 1, #block do
    if block[i].tag == "Return" then
      if not is_scenario then expressions(list, block[i], block[i]) end
    else
      statement(list, block[i])
    end
  end
end

local function find(list, block, kind)
  if kind == "script" then
    mutate.block(list, block)
  else
    outside_functions(list, block, kind == "scenario")
  end
end

local function rows_of(path, text, kind)
  if #text > BYTES_MAX then
    error({ path = path, message = "is " .. #text .. " bytes long; at most " .. BYTES_MAX .. " are mutated",
            hint = "lock scripts are short; leave it out" }, 0)
  end
  local source = tree.parse(path, text)
  local list = { source = source, used = indices(source.block), clients = kind ~= "script" }
  find(list, source.block, kind)
  if #list > MUTANTS_MAX then
    error({ path = path, message = "has " .. #list .. " mutants; at most " .. MUTANTS_MAX .. " are judged",
            hint = "lock scripts are short; leave it out" }, 0)
  end
  in_order(list)
  local met, rows = { [(#text + 1) .. " " .. #text .. " "] = true }, {}
  for _, m in ipairs(list) do
    local name = key(text, m)
    if not met[name] and loads(mutated(text, m)) then
      met[name] = true
      local line, col = tree.place(source, m.first)
      rows[#rows + 1] = { m.operator, line, col, m.from, m.to, m.first, m.last, m.new, m.line_from, m.line_to }
    end
  end
  return rows
end

function mutate.all(path, text)
  return rows_of(path, text, "script")
end

function mutate.driver(path, text)
  return rows_of(path, text, "driver")
end

-- Its table is the test, and not the tested code.
function mutate.scenario(path, text)
  return rows_of(path, text, "scenario")
end

return mutate
