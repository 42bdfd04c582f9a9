-- lint_rules_keys.lua: keys that the caller did not name, KEYS and ARGV with gaps, deletes without a look, two types
-- under one key.
local commands = require "lint_commands"
local values = require "lint_values"

local rules = {}

-- As the function that is looked at calls them; a script: KEYS, ARGV.
local function shown(w, name) return w.shown and w.shown[name] or name end

-- LS005, LS006
local function undeclared(w, call)
  if call.name == "keys" or call.name == "scan" then return end
  for _, place in ipairs(call.places) do
    local key, node = call.args[place], call.nodes[place]
    -- a table that holds a key, a value, a key, a value for MSETNX: which is which is unknown
    local alternating = call.row.step == 2 and key.keyed
    if alternating then return end
    if key.from == "foreign" and values.can_be(key, "string") then
      local what = type(key.const) == "string" and ("the literal '%s'"):format(key.const) or key.why or "something else"
      w:report("LS005", node, ("the key of '%s' is %s, not one of %s"):format(call.name, what, shown(w, "KEYS")),
               ("name it in %s when calling: a cluster finds the node, and a proxy the rights, by KEYS alone")
                 :format(w.shown and "the keys" or "KEYS"))
    elseif key.from == "built" then
      w:report("LS006", node, ("the key of '%s' is put together in the script"):format(call.name),
               "pass the whole key in KEYS; in a cluster this one lies elsewhere unless a {hash tag} " ..
                "holds them together")
    end
  end
end

-- LS020
local function unchecked_delete(w, st, call)
  if call.name ~= "del" and call.name ~= "unlink" then return end
  for _, place in ipairs(call.places) do
    local id = call.args[place].id
    if id == "KEYS[1]" and not st:fact(id).checked and not w.standalone then
      local keys, args = shown(w, "KEYS"), shown(w, "ARGV")
      w:report("LS020", call.node, keys .. "[1] is deleted without comparing its owner",
               ("compare first: if redis.call('get', %s[1]) == %s[1] then redis.call('del', %s[1]) end"):format(keys,
                 args, keys))
    end
  end
end

-- LS024
local function two_types(w, st, call)
  local kind = commands.kind(call.name)
  local place = call.places[1]
  if not kind or not place then return end
  local fact = st:fact(call.args[place].id)
  if fact.kind and fact.kind ~= kind then
    w:report("LS024", call.node,
             ("'%s' wants a %s, and the script has used this key as a %s before"):format(call.name, kind, fact.kind),
             "one of the two fails with WRONGTYPE; use another key")
  end
end

-- A command that has read a key as a hash without an error shows that it is one.
function rules.done(_, st, call)
  local kind, place = call.row and commands.kind(call.name), call.places[1]
  if kind and place and not call.pcall and call.name ~= "getdel" then
    st:set_fact(call.args[place].id, { kind = kind })
  end
end

function rules.command(w, st, call)
  if not call.row then return end
  undeclared(w, call)
  unchecked_delete(w, st, call)
  two_types(w, st, call)
end

-- LS007
local function use(w, name)
  w.used = w.used or { KEYS = {}, ARGV = {} }
  return w.used[name]
end

function rules.element(w, node, name, key)
  local used = use(w, name)
  local n = tonumber(key.const)
  if not n then used.whole = true return end
  used[n] = used[n] or node
  if n < 1 or n % 1 ~= 0 then
    w:report("LS007", node, ("%s[%s] does not exist: the first is %s[1]"):format(shown(w, name), tostring(key.const),
                                                                                shown(w, name)), nil)
  end
end

function rules.whole(w, name) use(w, name).whole = true end

local function gaps(w, name, declared)
  local used = use(w, name)
  name = shown(w, name)
  local top, top_node = 0, nil
  for n, node in pairs(used) do
    if type(n) == "number" and n > top then top, top_node = n, node end
  end
  if declared and top > declared then
    w:report("LS007", top_node, ("%s[%d] is read, and the caller passes %d"):format(name, top, declared), "it is nil")
  end
  local last = declared or top
  if used.whole or last > 1000 then return end
  local missing = {}
  for n = 1, last do
    if not used[n] then missing[#missing + 1] = ("%s[%d]"):format(name, n) end
  end
  if #missing > 0 then
    w:report("LS007", top_node or w.in_registered or w.source.block[1] or { offset = 1, end_offset = 1 },
             ("%s is never used%s"):format(table.concat(missing, ", "),
                                           top_node and (", %s[%d] is"):format(name, top) or ""),
             "leave it out when calling, or use it")
  end
end

-- A library's own text has neither; each of its functions has its own.
function rules.over(w)
  if w.is_library and not w.in_registered then return end
  gaps(w, "KEYS", w.keys_declared)
  gaps(w, "ARGV", w.args_declared)
end

return rules
