-- lint_state.lua: the knowledge at one point of a script: its variables, its keys, and whether it has written yet.
--
-- A fact about a key is { exists =, ttl =, pending =, ver =, checked =, kind = }: exists and ttl are "yes", "no" or nil
-- (not known); exists is "gone" if the script itself deleted the key; pending is the set of calls that may have left it
-- without expiry, `ver` changes with each write, `checked`: a test has looked into it, kind: the type its last write
-- gave it. Facts are never changed, only replaced.
local values = require "lint_values"

local state = {}
state.__index = state

-- facts are stored for that many keys; a script with more names them in a loop anyway
local KEYS_MAX = 64
-- and for that many calls that leave one key without expiry: more are not reported, and cost time quadratically
local PENDING_MAX = 64

function state.new()
  return setmetatable({ vars = {}, keys = {}, count = 0, wrote = nil, live = true }, state)
end

function state:copy()
  local vars, keys = {}, {}
  for var, value in pairs(self.vars) do vars[var] = value end
  for id, fact in pairs(self.keys) do keys[id] = fact end
  return setmetatable({ vars = vars, keys = keys, count = self.count, wrote = self.wrote, live = self.live }, state)
end

-- Takes over everything of another one.
function state:become(other)
  self.vars, self.keys, self.count, self.wrote, self.live = other.vars, other.keys, other.count, other.wrote, other.live
end

local no_fact = { ver = 0 }

function state:fact(id)
  return id and self.keys[id] or no_fact
end

function state:set_fact(id, changes)
  if not id then return end
  local old = self.keys[id]
  if not old then
    if self.count >= KEYS_MAX then return end
    self.count = self.count + 1
    old = no_fact
  end
  self.keys[id] = values.with(old, changes)
end

local function join_pending(a, b)
  if a == b or not b then return a end
  if not a then return b end
  local all, count = {}, 0
  for node, call in pairs(a) do all[node], count = call, count + 1 end
  for node, call in pairs(b) do
    if not all[node] then all[node], count = call, count + 1 end
  end
  return count <= PENDING_MAX and all or a
end

-- The call may have left the key without expiry.
function state:add_pending(id, call)
  self:set_fact(id, { pending = join_pending(self:fact(id).pending, { [call.node] = call }) })
end

local function join_facts(a, b)
  if a == b then return a end
  a, b = a or no_fact, b or no_fact
  return {
    exists = a.exists == b.exists and a.exists or nil, ttl = a.ttl == b.ttl and a.ttl or nil,
    pending = join_pending(a.pending, b.pending),
    ver = math.max(a.ver, b.ver), checked = a.checked and b.checked, kind = a.kind == b.kind and a.kind or nil,
  }
end

-- The common knowledge where two paths join. A path that ended (return, break, error) does not count.
function state.join(a, b)
  if not a or not a.live then return b or a end
  if not b or not b.live or a == b then return a end
  local joined = state.new()
  for var, value in pairs(a.vars) do
    if b.vars[var] then joined.vars[var] = values.join(value, b.vars[var]) end
  end
  for id, fact in pairs(a.keys) do joined.keys[id] = join_facts(fact, b.keys[id]) end
  for id, fact in pairs(b.keys) do
    if not a.keys[id] then joined.keys[id] = join_facts(nil, fact) end
  end
  joined.count = math.max(a.count, b.count)
  joined.wrote = a.wrote or b.wrote
  return joined
end

local function same_fact(a, b)
  if a == b then return true end
  a, b = a or no_fact, b or no_fact
  if a.exists ~= b.exists or a.ttl ~= b.ttl or a.checked ~= b.checked or a.kind ~= b.kind then return false end
  for node in pairs(a.pending or {}) do if not (b.pending or {})[node] then return false end end
  for node in pairs(b.pending or {}) do if not (a.pending or {})[node] then return false end end
  return true
end

function state.same(a, b)
  if a.live ~= b.live or a.wrote ~= b.wrote then return false end
  for var, value in pairs(a.vars) do
    if b.vars[var] and not values.same(value, b.vars[var]) then return false end
  end
  for id, fact in pairs(a.keys) do if not same_fact(fact, b.keys[id]) then return false end end
  for id, fact in pairs(b.keys) do if not same_fact(a.keys[id], fact) then return false end end
  return true
end

-- Forgets the variables that differ from those of `other`, so that a loop comes to rest; of an empty state: all.
function state:widen(other)
  for var, value in pairs(self.vars) do
    if not other.vars[var] or not values.same(value, other.vars[var]) then self.vars[var] = values.anything end
  end
end

return state
