-- lint_expressions.lua: what an expression of a script can be, and what is known on both sides of a test. See
-- lint_walk.lua, which walks the statements around them.
local calls = require "lint_calls"
local effects = require "lint_effects"
local state = require "lint_state"
local values = require "lint_values"

local STEPS_END = 2000000               -- expressions and statements; a script with more is given up

local expressions = {}
local expression, branch

function expressions.step(w)
  w.steps = w.steps + 1
  if w.steps > STEPS_END then error({ too_much = true }, 0) end
end

local function id_of(node)
  return "@" .. node.offset
end
expressions.id_of = id_of

-- ---- variables ----

function expressions.declare(st, scope, node, value)
  local var = { name = node[1] }
  scope.names[node[1]] = var
  st.vars[var] = value or values.anything
end

local function find(scope, name)
  while scope do
    if scope.names[name] then return scope.names[name] end
    scope = scope.parent
  end
end

function expressions.inner(scope)
  return { names = {}, parent = scope }
end

expressions.find = find

-- ---- expressions ----

-- The values of a list; the last one may be a call with any number of results (`open`).
local function list(w, nodes, st, scope, from)
  local all, open = {}, false
  for i = from or 1, #nodes do
    local node = nodes[i]
    all[#all + 1] = expression(w, node, st, scope)
    if i == #nodes and (node.tag == "Dots" or node.tag == "Call" or node.tag == "Invoke") then
      open = node.tag == "Dots" or w.many == true
      if w.results and node.tag ~= "Dots" then
        for k = 2, #w.results do all[#all + 1] = w.results[k] end
      end
    end
  end
  w.results, w.many = nil, nil
  return all, open
end

expressions.list = list

local evaluate = {}

function evaluate.Nil() return values.constant(nil) end
evaluate["True"] = function() return values.constant(true) end
evaluate["False"] = function() return values.constant(false) end
function evaluate.String(_, node) return values.constant(node[1]) end
function evaluate.Number(w, node)
  local value = values.constant(tonumber(node[1]) or 0)
  w:tell("number", node, value)
  return value
end
function evaluate.Dots(_, node) return values.unknown(id_of(node)) end
function evaluate.Paren(w, node, st, scope)
  local value = expression(w, node[1], st, scope)
  w.results, w.many = nil, nil
  return value
end

function evaluate.Id(w, node, st, scope)
  local var = find(scope, node[1])
  if var then
    local value = st.vars[var] or values.anything
    if value.called and not w.indexing then w:tell("whole", value.array) end
    return value
  end
  local value = calls.global(node[1])
  if value.array and not w.indexing then w:tell("whole", value.array) end
  return value
end

evaluate["Function"] = function(w, node, _, scope)
  local closure = { node = node, scope = scope }
  w.closures[#w.closures + 1] = closure
  return { types = values.set("function"), closure = closure, id = id_of(node) }
end

function evaluate.Table(w, node, st, scope)
  local value = { types = values.set("table"), id = id_of(node), fields = {}, items = {} }
  for i, part in ipairs(node) do
    if part.tag == "Pair" then
      local key, v = expression(w, part[1], st, scope), expression(w, part[2], st, scope)
      if key.const ~= nil then value.fields[key.const] = v end
    else
      local v = expression(w, part, st, scope)
      value.items[#value.items + 1] = { node = part, value = v }
      value.elem = values.join(value.elem or v, v)
      if i < #node then w.results, w.many = nil, nil end
    end
  end
  value.open = w.many
  w.results, w.many = nil, nil
  return value
end

function evaluate.Index(w, node, st, scope)
  w.indexing = true
  local object = expression(w, node[1], st, scope)
  w.indexing = false
  local key = expression(w, node[2], st, scope)
  if object.array then
    w:tell("element", node, object.array, key)
    return calls.element(object, key)
  end
  if object.lib then return calls.member(object.lib, key.const) end
  if object.fields and key.const ~= nil and object.fields[key.const] then return object.fields[key.const] end
  if object.elem then
    return values.with(object.elem, { id = values.chain(object.id or "?", key.id), index_of = object })
  end
  return values.unknown(values.chain(object.id, key.id and "[" .. key.id .. "]"))
end

local arithmetic = values.set("add", "sub", "mul", "div", "mod", "pow")
local relations = values.set("eq", "ne", "lt", "le", "gt", "ge")

local function number_result(node, a, b)
  local op, big = node[1], false
  if op == "add" or op == "sub" then big = a.big or b.big or a.micros or b.micros end
  if op == "mul" then
    local c = tonumber(a.const) or tonumber(b.const) or 0
    big = a.big or b.big or ((a.seconds or b.seconds) and math.abs(c) >= 1e5)
  end
  local exact = a.const and b.const and type(a.const) == "number" and type(b.const) == "number"
  if exact and op == "add" then return values.constant(a.const + b.const) end
  if exact and op == "sub" then return values.constant(a.const - b.const) end
  if exact and op == "mul" then return values.constant(a.const * b.const) end
  local frac = op == "div" or (op == "pow" and nil) or (op ~= "mod" and (a.frac or b.frac)) or nil
  return { types = values.set("number"), id = id_of(node), big = big or nil, frac = frac, from = "foreign",
           why = "a number",
           seconds = (op == "add" or op == "sub") and (a.seconds or b.seconds) or nil }
end

local function join_text(a, b)
  local from, why = values.worse_key(a, b)
  if a.from == "keys" or b.from == "keys" or a.from == "built" or b.from == "built" then from, why = "built", nil
  elseif not a.from and not b.from then from = nil end
  return { types = values.set("string"), from = from, why = why, id = values.chain(a.id, b.id),
           const = type(a.const) == "string" and type(b.const) == "string" and #a.const + #b.const < 200 and a.const ..
                   b.const or nil }
end

function evaluate.Op(w, node, st, scope)
  local op = node[1]
  if op == "and" or op == "or" then
    w.choice = op == "or" and node[2].tag == "Op" and node[2][1] == "and" or nil
    local yes, no, left = branch(w, node[2], st, scope)
    local taken, passed = yes, no
    if op == "or" then taken, passed = no, yes end
    local right = taken.live and expression(w, node[3], taken, scope) or nil
    st:become(state.join(taken, passed))
    local kept = values.narrow(left, values.falsy, op == "and")
    if kept.types and next(kept.types) == nil then return right or kept end
    return right and values.join(kept, right) or kept
  end
  local a = expression(w, node[2], st, scope)
  w.results, w.many = nil, nil
  if op == "not" then
    w:tell("condition", st, node[2], a)
    return values.of(values.set("true", "false"), id_of(node))
  end
  if op == "len" then
    if a.array then w:tell("whole", a.array) end
    return values.with(values.of(values.set("number"), id_of(node)), { length_of = a })
  end
  if op == "unm" then
    w:tell("arithmetic", st, node, op, a, a)
    if type(a.const) == "number" then return values.constant(-a.const) end
    return values.with(number_result({ "add", offset = node.offset }, a, a), {})
  end
  local b = expression(w, node[3], st, scope)
  w.results, w.many = nil, nil
  if arithmetic[op] then
    w:tell("arithmetic", st, node, op, a, b)
    return number_result(node, a, b)
  elseif op == "concat" then
    w:tell("concat", st, node, a, b)
    return join_text(a, b)
  elseif relations[op] then
    w:tell("compare", st, node, op, a, b)
    return values.with(values.of(values.set("true", "false"), id_of(node)), { compared = true,
                                                                              asked = a.call or b.call })
  end
  return values.anything
end

function evaluate.Call(w, node, st, scope)
  local fn = expression(w, node[1], st, scope)
  w.results, w.many = nil, nil
  w.indexing = fn.fn == "ipairs" or fn.fn == "pairs" or fn.fn == "unpack" or fn.fn == "next"
  local args, open = list(w, node, st, scope, 2)
  w.indexing = false
  for _, arg in ipairs(args) do
    if arg.array and fn.fn then w:tell("whole", arg.array) end
  end
  local value, results, many = calls.call(w, st, node, fn, args, open)
  w.results, w.many = results, many
  return value or values.anything
end

function evaluate.Invoke(w, node, st, scope)
  local object = expression(w, node[1], st, scope)
  w.results, w.many = nil, nil
  local args = list(w, node, st, scope, 3)
  table.insert(args, 1, object)
  local value, results, many = calls.method(w, st, node, node[2][1], args)
  w.results, w.many = results, many
  return value or values.anything
end

function expression(w, node, st, scope)
  expressions.step(w)
  local fn = evaluate[node.tag]
  local value = fn and fn(w, node, st, scope) or values.anything
  if not value.id then value = values.with(value, { id = id_of(node) }) end
  return value
end

-- ---- tests ----

local function refine(node, st, scope, names, keep)
  while node.tag == "Paren" do node = node[1] end
  local var = node.tag == "Id" and find(scope, node[1])
  if var and st.vars[var] then st.vars[var] = values.narrow(st.vars[var], names, keep) end
end

local function learn_equal(node, st, scope, value, other, equal)
  if values.only(other, "nil") then
    refine(node, st, scope, values.set("nil"), equal)
  elseif values.only(other, "false") then
    refine(node, st, scope, values.set("false"), equal)
  elseif equal and other.types and not values.can_be_falsy(other) then
    refine(node, st, scope, values.falsy, false)
  end
  effects.learn(st, value.call, "eq", other, equal)
end

local mirrored = { lt = "gt", gt = "lt", le = "ge", ge = "le", eq = "eq", ne = "ne" }

local function branch_relation(w, node, st, scope)
  local op = node[1]
  local a = expression(w, node[2], st, scope)
  w.results, w.many = nil, nil
  local b = expression(w, node[3], st, scope)
  w.results, w.many = nil, nil
  w:tell("compare", st, node, op, a, b)
  local yes, no = st:copy(), st:copy()
  if op == "eq" or op == "ne" then
    local equal, different = yes, no
    if op == "ne" then equal, different = no, yes end
    for _, side in ipairs({ { node[2], a, b }, { node[3], b, a } }) do
      learn_equal(side[1], equal, scope, side[2], side[3], true)
      learn_equal(side[1], different, scope, side[2], side[3], false)
    end
  else
    for _, side in ipairs({ { a, op, b }, { b, mirrored[op], a } }) do
      effects.learn(yes, side[1].call, side[2], side[3], true)
      effects.learn(no, side[1].call, side[2], side[3], false)
    end
  end
  return yes, no, values.with(values.of(values.set("true", "false"), id_of(node)), { compared = true })
end

-- The states after a test with a true, and with a false result; and the tested value.
function branch(w, node, st, scope)
  if node.tag == "Paren" then return branch(w, node[1], st, scope) end
  local op = node.tag == "Op" and node[1]
  if op == "not" then
    local yes, no = branch(w, node[2], st, scope)
    return no, yes, values.of(values.set("true", "false"), id_of(node))
  elseif op == "and" or op == "or" then
    local choice = w.choice             -- of `a and b or c`, b is a value and no test
    w.choice = nil
    local first_yes, first_no, left = branch(w, node[2], st, scope)
    local into, other = first_yes, first_no
    if op == "or" then into, other = first_no, first_yes end
    w.untested = choice and node[3] or nil
    local second_yes, second_no, right = branch(w, node[3], into, scope)
    local value = values.join(values.narrow(left, values.falsy, op == "and"), right)
    if op == "and" then return second_yes, state.join(other, second_no), value end
    return state.join(other, second_yes), second_no, value
  elseif op and relations[op] then
    return branch_relation(w, node, st, scope)
  end
  local value = expression(w, node, st, scope)
  w.results, w.many = nil, nil
  if w.untested ~= node then w:tell("condition", st, node, value) end
  local yes, no = st:copy(), st:copy()
  refine(node, yes, scope, values.falsy, false)
  refine(node, no, scope, values.falsy, true)
  effects.learn(yes, value.call, "truthy", value, true)
  effects.learn(no, value.call, "truthy", value, false)
  effects.look(yes, value.asked)        -- a comparison that a function has made, or that a variable holds
  effects.look(no, value.asked)
  if values.only(value, "true") or type(value.const) == "number" then no.live = false end
  if values.only(value, "nil", "false") and not value.narrowed and node.tag ~= "Id" then yes.live = false end
  return yes, no, value
end

expressions.expression, expressions.branch = expression, branch

return expressions
