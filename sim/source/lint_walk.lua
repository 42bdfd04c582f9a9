-- lint_walk.lua: walks a script's syntax tree as it would run, down both sides of each test and round each loop until nothing new is
-- learned, and tells the rules what it meets. Nothing is executed. The work is bounded: past STEPS_MAX loops are walked once.
--
-- A rule file exports functions by event: command(w, st, call), compare(w, st, node, op, a, b), arithmetic(w, st, node, op, a, b),
-- concat(w, st, node, a, b), condition(w, st, node, value), finish(w, st, node, values), raise(w, st, node), loop(w, st, node, value),
-- counted_loop(w, st, node, value), bound(w, st, node, value), element(w, node, name, key), whole(w, name), done(w, st, call) once a call's
-- effects are known, library(w, st, node, name, args), text(w, st, node, value), number(w, node, value), nameless(w, st, call),
-- commandless(w, st, node), over(w) at the very end.
local calls = require "lint_calls"
local effects = require "lint_effects"
local state = require "lint_state"
local values = require "lint_values"

local STEPS_MAX, STEPS_END, ROUNDS_MAX, DEPTH_MAX = 20000, 2000000, 4, 12

local walk = {}
walk.__index = walk

local expression, block, branch

function walk:tell(event, ...)
  for _, fn in ipairs(self.rules[event] or {}) do fn(self, ...) end
end

-- Notes a finding, once for each place and code. `at` is a node; is_mild: it does not stop the script, though the code's others do.
function walk:report(code, at, message, hint, is_mild)
  if self.muted == 0 then self.add(code, at, message, hint, is_mild) end
end

local function step(w)
  w.steps = w.steps + 1
  if w.steps > STEPS_END then error({ too_much = true }, 0) end
end

local function id_of(node)
  return "@" .. node.offset
end

-- ---- variables ----

local function declare(st, scope, node, value)
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

local function inner(scope)
  return { names = {}, parent = scope }
end

local function global_value(name)
  return calls.global(name)
end

-- ---- expressions ----

-- The values of a list; the last one may be a call that gives any number (`open`).
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

local function run_closure(w, closure, args, st)
  if w.depth >= DEPTH_MAX or w.active[closure.node] then
    st:widen(state.new())
    return values.anything
  end
  w.depth, w.active[closure.node] = w.depth + 1, true
  local frame = { parent = w.frame }
  w.frame = frame
  local scope = inner(closure.scope)
  for i, param in ipairs(closure.node[1]) do
    if param.tag == "Id" then declare(st, scope, param, args[i] or values.constant(nil)) end
  end
  block(w, closure.node[2], st, scope)
  if st.live then frame.value = frame.value and values.join(frame.value, values.constant(nil)) or values.constant(nil) end
  st:become(state.join(frame.state, st))
  w.frame, w.depth, w.active[closure.node] = frame.parent, w.depth - 1, nil
  w.walked[closure.node] = true
  return frame.value or values.anything
end
walk.run_closure = run_closure

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
  if var then return st.vars[var] or values.anything end
  local value = global_value(node[1])
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
  if object.elem then return values.with(object.elem, { id = values.chain(object.id or "?", key.id), index_of = object }) end
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
  return { types = values.set("number"), id = id_of(node), big = big or nil, frac = frac, from = "foreign", why = "a number",
           seconds = (op == "add" or op == "sub") and (a.seconds or b.seconds) or nil }
end

local function join_text(a, b)
  local from, why = values.worse_key(a, b)
  if a.from == "keys" or b.from == "keys" or a.from == "built" or b.from == "built" then from, why = "built", nil
  elseif not a.from and not b.from then from = nil end
  return { types = values.set("string"), from = from, why = why, id = values.chain(a.id, b.id),
           const = type(a.const) == "string" and type(b.const) == "string" and #a.const + #b.const < 200 and a.const .. b.const or nil }
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
    return values.with(values.of(values.set("true", "false"), id_of(node)), { compared = true })
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
  step(w)
  local fn = evaluate[node.tag]
  local value = fn and fn(w, node, st, scope) or values.anything
  if not value.id then value = values.with(value, { id = id_of(node) }) end
  return value
end
walk.expression = expression

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

-- The states behind a test that came out true, and false; and the tested value.
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
  if values.only(value, "true") or type(value.const) == "number" then no.live = false end
  if values.only(value, "nil", "false") and not value.narrowed and node.tag ~= "Id" then yes.live = false end
  return yes, no, value
end

-- ---- statements ----

local execute = {}

local function assign(w, st, scope, targets, nodes)
  local all, open = list(w, nodes, st, scope)
  for i, target in ipairs(targets) do
    local value = all[i] or (open and values.anything or values.constant(nil))
    if target.tag == "Id" then
      local var = find(scope, target[1])
      if var then st.vars[var] = value end
    else
      w.indexing = true
      local object = expression(w, target[1], st, scope)
      w.indexing = false
      local key = expression(w, target[2], st, scope)
      if object.items and not object.array then
        object.elem = values.join(object.elem or value, value)
        if key.const ~= nil and object.fields[key.const] then
          object.fields[key.const] = values.join(object.fields[key.const], value)
        elseif type(key.const) == "string" then
          object.fields[key.const] = value
        end
        object.changed = true
      end
    end
  end
end

function execute.Set(w, node, st, scope) assign(w, st, scope, node[1], node[2]) end

-- Microseconds since 1970 have 16 digits.
local function in_microseconds(name)
  local lower = "_" .. name:lower() .. "_"
  return lower:find("_us_", 1, true) or lower:find("_usec", 1, true) or lower:find("micros", 1, true)
end

function execute.Local(w, node, st, scope)
  local all, open = {}, false
  if node[2] then all, open = list(w, node[2], st, scope) end
  for i, name in ipairs(node[1]) do
    local value = all[i] or (open and values.anything or values.constant(nil))
    if in_microseconds(name[1]) and not value.const then value = values.with(value, { big = true }) end
    declare(st, scope, name, value)
  end
end

function execute.Localrec(w, node, st, scope)
  declare(st, scope, node[1][1])
  st.vars[scope.names[node[1][1][1]]] = expression(w, node[2][1], st, scope)
end

function execute.Call(w, node, st, scope)
  w.as_statement = node
  expression(w, node, st, scope)
  w.results, w.many = nil, nil
end
execute.Invoke = execute.Call

execute["Do"] = function(w, node, st, scope) block(w, node, st, inner(scope)) end

execute["If"] = function(w, node, st, scope)
  local ends, i = nil, 1
  while node[i + 1] do
    local yes, no = branch(w, node[i], st, scope)
    block(w, node[i + 1], yes, inner(scope))
    ends = state.join(ends, yes)
    st:become(no)
    i = i + 2
  end
  if node[i] then block(w, node[i], st, inner(scope)) end
  local joined = state.join(ends, st)
  if joined then st:become(joined) end
end

execute["Return"] = function(w, node, st, scope)
  local all = list(w, node, st, scope)
  local frame = w.frame
  if frame.main then
    w:tell("finish", st, node, all)
  else
    local value = all[1] or values.constant(nil)
    frame.value = frame.value and values.join(frame.value, value) or value
    frame.state = state.join(frame.state, st:copy())
  end
  st.live = false
end

execute["Break"] = function(w, _, st)
  if w.loop then w.loop.ends = state.join(w.loop.ends, st:copy()) end
  st.live = false
end

-- Walks round(st), one pass through the body, until a further one adds nothing; leaves in `st` what holds behind the loop.
-- `round` returns the state in which the loop ends by its own test.
local function loop(w, st, round)
  local outer = w.loop
  local function once()
    local here = { outer = outer }
    w.loop = here
    local at_end = round(st)
    w.loop = outer
    return state.join(here.ends, at_end)
  end
  if w.steps > STEPS_MAX then           -- loops in loops would take for ever: nothing is known of variables in this one
    st:widen(state.new())
    local behind = once()
    if behind then st:become(behind) else st.live = false end
    return
  end
  w.muted = w.muted + 1
  for i = 1, ROUNDS_MAX do
    if w.steps > STEPS_MAX then break end
    local before = st:copy()
    once()
    local after = state.join(before, st)
    if state.same(before, after) then st:become(before) break end
    if i >= 3 then after:widen(before) end
    st:become(after)
  end
  w.muted = w.muted - 1
  st.live = true
  local behind = once()
  if behind then st:become(behind) else st.live = false end
end

execute["While"] = function(w, node, st, scope)
  loop(w, st, function(s)
    local yes, no = branch(w, node[1], s, scope)
    s:become(yes)
    w.in_loop = w.in_loop + 1
    block(w, node[2], s, inner(scope))
    w.in_loop = w.in_loop - 1
    return no
  end)
end

execute["Repeat"] = function(w, node, st, scope)
  loop(w, st, function(s)
    local own = inner(scope)
    w.in_loop = w.in_loop + 1
    block(w, node[1], s, own)
    w.in_loop = w.in_loop - 1
    if not s.live then return nil end
    local yes, no = branch(w, node[2], s, own)
    s:become(no)
    return yes
  end)
end

local function body(w, st, scope, names, bind, nodes)
  loop(w, st, function(s)
    local at_end, own = s:copy(), inner(scope)
    for i, name in ipairs(names) do declare(s, own, name, bind[i] or values.anything) end
    w.in_loop = w.in_loop + 1
    block(w, nodes, s, own)
    w.in_loop = w.in_loop - 1
    return at_end
  end)
end

function execute.Fornum(w, node, st, scope)
  local own = values.of(values.set("number"), id_of(node[1]))
  for i = 2, #node - 1 do
    local value = expression(w, node[i], st, scope)
    w.results, w.many = nil, nil
    if i <= 3 then w:tell("bound", st, node[i], value) end
    if i == 3 and value.length_of then w:tell("counted_loop", st, node, value.length_of) end
  end
  body(w, st, scope, { node[1] }, { own }, node[#node])
end

function execute.Forin(w, node, st, scope)
  w.iterates = nil
  list(w, node[2], st, scope)
  local over = w.iterates
  w.iterates = nil
  if over then w:tell("loop", st, node, over) end
  local bind = {}
  if over then
    bind[1] = values.unknown(id_of(node[1][1]))
    if over.elem then bind[2] = values.with(over.elem, { id = values.chain(over.id or "?", "[*]") }) end
  end
  body(w, st, scope, node[1], bind, node[3])
end

function block(w, nodes, st, scope)
  for _, node in ipairs(nodes) do
    if not st.live then return end
    step(w)
    local fn = execute[node.tag]
    if fn then fn(w, node, st, scope) end
  end
end

-- Walks the whole script. rules: for each event the functions it is told to. add(code, node, message, hint) takes what they find.
function walk.script(source, table_of_commands, rules, add, keys_declared, args_declared)
  local w = setmetatable({
    source = source, commands = table_of_commands, rules = rules, add = add, muted = 0, steps = 0, depth = 0, in_loop = 0,
    active = {}, walked = {}, closures = {}, frame = { main = true }, keys_declared = keys_declared, args_declared = args_declared,
  }, walk)
  local st, scope = state.new(), inner(nil)
  block(w, source.block, st, scope)
  if st.live then w:tell("finish", st, nil, {}) end
  -- Functions that nobody called by name: handed on, or never used.
  local i = 1
  w.standalone = true
  while i <= #w.closures do
    local closure = w.closures[i]
    if not w.walked[closure.node] then
      local inside = state.new()
      run_closure(w, closure, {}, inside)
    end
    i = i + 1
  end
  w:tell("over")
  return w
end

return walk
