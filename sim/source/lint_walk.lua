-- lint_walk.lua: walks a script's syntax tree along its possible paths, both sides of each test and each loop until
-- nothing new is learned, and calls the rules on the way. Nothing is executed. The work is bounded: past STEPS_MAX
-- loops are walked once.
--
-- A rule file exports functions by event: command(w, st, call), compare(w, st, node, op, a, b), arithmetic(w, st, node,
-- op, a, b), concat(w, st, node, a, b), condition(w, st, node, value), finish(w, st, node, values), raise(w, st, node),
-- loop(w, st, node, value), counted_loop(w, st, node, value), bound(w, st, node, value), element(w, node, name, key),
-- whole(w, name), done(w, st, call) once a call's effects are known, library(w, st, node, name, args), text(w, st,
-- node, value), number(w, node, value), nameless(w, st, call), commandless(w, st, node), over(w) at the very end.
local calls = require "lint_calls"
local expressions = require "lint_expressions"
local state = require "lint_state"
local values = require "lint_values"

local STEPS_MAX, ROUNDS_MAX, DEPTH_MAX = 20000, 4, 12

local expression, branch, list, step = expressions.expression, expressions.branch, expressions.list, expressions.step
local declare, find, inner, id_of = expressions.declare, expressions.find, expressions.inner, expressions.id_of
local block

local walk = {}
walk.__index = walk

function walk:tell(event, ...)
  for _, fn in ipairs(self.rules[event] or {}) do fn(self, ...) end
end

-- Notes a finding, once for each place and code. `at` is a node; is_mild: it does not stop the script, though the
-- code's others do.
function walk:report(code, at, message, hint, is_mild)
  if self.muted == 0 then self.add(code, at, message, hint, is_mild) end
end

-- ---- functions ----

local function run_closure(w, closure, args, st)
  if w.depth >= DEPTH_MAX or w.active[closure.node] then
    st:widen(state.new())
    return values.anything
  end
  w.depth, w.active[closure.node] = w.depth + 1, true
  local frame = { parent = w.frame }
  w.frame = frame
  local scope = inner(closure.scope)
  -- The arguments of a function that is not called by name are unknown.
  local missing = w.standalone and values.anything or values.constant(nil)
  for i, param in ipairs(closure.node[1]) do
    if param.tag == "Id" then declare(st, scope, param, args[i] or missing) end
  end
  block(w, closure.node[2], st, scope)
  if st.live then
    frame.value = frame.value and values.join(frame.value, values.constant(nil)) or values.constant(nil)
  end
  st:become(state.join(frame.state, st))
  w.frame, w.depth, w.active[closure.node] = frame.parent, w.depth - 1, nil
  w.walked[closure.node] = true
  return frame.value or values.anything
end
walk.run_closure = run_closure

-- A function that a library registers: a script of its own, that gets KEYS and ARGV as parameters.
function walk:run_registered(closure, st)
  if self.active[closure.node] then return end
  local frame, used, shown, inside = self.frame, self.used, self.shown, st:copy()
  local scope, all, names = inner(closure.scope), calls.parameters(closure)
  self.frame, self.used, self.shown = { main = true }, nil, names
  self.active[closure.node], self.is_library = true, true
  for i, param in ipairs(closure.node[1]) do
    if param.tag == "Id" then declare(inside, scope, param, all[i] or values.constant(nil)) end
  end
  block(self, closure.node[2], inside, scope)
  if inside.live then self:tell("finish", inside, nil, {}) end
  self.in_registered = closure.node
  self:tell("over")
  self.in_registered, self.active[closure.node], self.walked[closure.node] = nil, nil, true
  self.frame, self.used, self.shown = frame, used, shown
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

-- Walks round(st), one pass through the body, until a further one adds nothing; leaves in `st` what holds behind the
-- loop. `round` returns the state in which the loop ends by its own test.
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

-- Walks the whole script. rules: for each event its functions. add(code, node, message, hint) takes their findings.
function walk.script(source, table_of_commands, rules, add, keys_declared, args_declared)
  local w = setmetatable({
    source = source, commands = table_of_commands, rules = rules, add = add, muted = 0, steps = 0, depth = 0,
    in_loop = 0,
    active = {}, walked = {}, closures = {}, frame = { main = true }, keys_declared = keys_declared,
    args_declared = args_declared,
  }, walk)
  local st, scope = state.new(), inner(nil)
  block(w, source.block, st, scope)
  if st.live then w:tell("finish", st, nil, {}) end
  -- Functions that are not called by name: passed on, or never used.
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
