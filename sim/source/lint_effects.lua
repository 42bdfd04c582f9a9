-- lint_effects.lua: what a redis.call changes in the knowledge of its key, and what its reply, once tested, shows of
-- it.
local commands = require "lint_commands"
local values = require "lint_values"

local effects = {}

local function after_write(st, id, kind)
  local old = st:fact(id)
  st:set_fact(id, { ver = old.ver + 1, kind = kind or old.kind or false, exists = "yes" })
end

local function has_ttl(st, id)
  st:set_fact(id, { ttl = "yes", exists = "yes", pending = false })
end

-- SET and similar commands: the old time to live is removed, unless it is kept.
local function replace(st, call, id)
  local name = call.name
  local timed = name == "set" and (commands.option(call, "EX", 3) or commands.option(call, "PX", 3) or
                                   commands.option(call, "EXAT", 3) or
                                   commands.option(call, "PXAT", 3))
  local keeps = name == "set" and commands.option(call, "KEEPTTL", 3)
  call.conditional = name == "setnx" or
                     (name == "set" and (commands.option(call, "NX", 3) or commands.option(call, "XX", 3))) and true or
                         false
  call.before = st:fact(id)
  after_write(st, id, "string")
  if timed then has_ttl(st, id)
  elseif not keeps and not call.open then st:set_fact(id, { ttl = "no" }) st:add_pending(id, call) end
end

-- HSET and similar commands create a missing key; an existing one keeps its time to live.
local function fill(st, call, id)
  local old = st:fact(id)
  call.before = old
  after_write(st, id, commands.makes(call.name))
  if old.exists ~= "yes" and old.ttl ~= "yes" then st:add_pending(id, call) end
end

local timers = values.set("expire", "pexpire", "expireat", "pexpireat", "getex", "setex", "psetex")
local removers = values.set("del", "unlink", "getdel")

-- Changes `st` as the call does.
function effects.apply(st, call, places)
  local name = call.name
  if call.row.flags:find("write", 1, true) then st.wrote = st.wrote or call end
  for _, place in ipairs(places) do
    local id = call.args[place].id
    if timers[name] then has_ttl(st, id)
    elseif removers[name] then
      st:set_fact(id, { exists = "gone", ttl = false, pending = false, kind = false, ver = st:fact(id).ver + 1 })
    elseif name == "persist" then
      st:set_fact(id, { ttl = "no", ver = st:fact(id).ver + 1 })
      st:add_pending(id, call)
    elseif commands.replaces(name) then replace(st, call, id)
    elseif commands.makes(name) then fill(st, call, id)
    elseif call.row.flags:find("write", 1, true) then st:set_fact(id, { ver = st:fact(id).ver + 1 })
    end
  end
  call.id = places[1] and call.args[places[1]].id
  call.ver = st:fact(call.id).ver
end

-- The replies a command can give, as { value, fact }: value false, a number, "positive" or "some"; what it says of the
-- key.
local absent, present = { exists = "no", ttl = false }, { exists = "yes" }
local timed, forever = { exists = "yes", ttl = "yes", pending = false }, { exists = "yes", ttl = "no" }
local size = { { 0, absent }, { "positive", present } }
local found = { { false, {} }, { "some", present } }
local expires = { { -2, absent }, { -1, forever }, { 0, timed }, { "positive", timed } }
local outcomes = {
  exists = { { 0, absent }, { 1, present } }, hexists = { { 0, {} }, { 1, present } },
  sismember = { { 0, {} }, { 1, present } },
  hlen = size, llen = size, scard = size, zcard = size, strlen = size, get = { { false, absent }, { "some", present } },
  hget = found,
  zscore = found, zrank = found, lindex = found, pttl = expires, ttl = expires,
  expire = { { 0, absent }, { 1, timed } },
  pexpire = { { 0, absent }, { 1, timed } },
}
local refused, existed = { undo = true }, { existed = true }
local fresh_counts = values.set("incr", "incrby", "decr", "decrby", "hincrby", "lpush", "rpush", "append")

local only_if_new = values.set("setnx", "hsetnx")

-- What adds members or fields to a key, and the words that one of them takes, after the key and the options.
local adders = { sadd = 1, hset = 2, zadd = 2 }
local option_of_zadd = values.set("NX", "XX", "GT", "LT", "CH")

-- They answer how many were new: 0 shows that the key was there. ZADD with INCR answers a score.
local function outcomes_of_adder(call)
  local first = 2
  if call.name == "zadd" then
    if commands.option(call, "INCR", 2) then return nil end
    while call.args[first] and type(call.args[first].const) == "string" and
      option_of_zadd[call.args[first].const:upper()] do first = first + 1 end
  end
  local one = not call.open and #call.args == first + adders[call.name] - 1
  return { { 0, existed }, { one and 1 or "positive", {} } }
end

-- By how much a count goes up or down, where the call says it.
local function step_of(call)
  return call.name == "hincrby" and call.args[3] or (call.name == "incrby" or call.name == "decrby") and call.args[2]
end

local function outcomes_of(call)
  if only_if_new[call.name] then return { { 0, refused }, { 1, {} } } end
  if call.name == "set" and call.conditional then return { { false, refused }, { "some", {} } } end
  if adders[call.name] then return outcomes_of_adder(call) end
  if fresh_counts[call.name] then
    local step = step_of(call)
    local first = step and tonumber(step.const) or not step and 1
    if not first then return nil end
    if call.name:sub(1, 4) == "decr" then first = -first end
    -- Any other count than that of a new key shows that the key was there.
    return { { first, {} }, { "other", existed } }
  end
  return outcomes[call.name]
end

local order = {
  lt = function(a, b) return a < b end, le = function(a, b) return a <= b end, gt = function(a, b) return a > b end,
  ge = function(a, b) return a >= b end, eq = function(a, b) return a == b end, ne = function(a, b) return a ~= b end,
}

local function compare_numbers(got, op, other)
  local c = tonumber(other.const)
  if type(got) == "number" then
    if c then return order[op](got, c) end
    if got < 0 and (op == "lt" or op == "le") then return true end  -- no comparison is with an unknown negative number
    if got < 0 and (op == "gt" or op == "ge" or op == "eq") then return false end
    return nil
  end
  if got == "positive" and c then
    if c <= 0 and (op == "gt" or op == "ge" or op == "ne") then return true end
    if c <= 0 and (op == "lt" or op == "le" or op == "eq") then return false end
  end
  return nil
end

-- Is `got op other` true, false, or nil if it may be either?
local function holds(got, op, other)
  if op == "truthy" then return got ~= false end
  if got ~= false and type(got) ~= "string" or got == "positive" then return compare_numbers(got, op, other) end
  if op ~= "eq" and op ~= "ne" then return nil end
  local equal
  if got == false then
    if values.only(other, "false", "nil") then equal = true elseif not values.can_be_falsy(other) then equal = false end
  elseif values.only(other, "false", "nil") then
    equal = false
  end
  if equal == nil then return nil end
  return equal == (op == "eq")
end

local function undo(st, call)
  if not st.keys[call.id] then return end
  local now = st:fact(call.id)
  st.keys[call.id] = values.with(call.before, { ver = now.ver + 1, exists = only_if_new[call.name] and "yes" or
                                                call.before.exists or false })
end

local function forget_pending(st, call)
  local pending = {}
  for node, c in pairs(st:fact(call.id).pending or {}) do
    if node ~= call.node then pending[node] = c end
  end
  st:set_fact(call.id, { pending = next(pending) and pending or false })
end

-- What `call` answered is known in `st` to have been compared with something.
function effects.look(st, call)
  if call and call.id then st:set_fact(call.id, { checked = true }) end
end

-- The knowledge in `st` if comparing the reply of `call` with `other` by `op` had the result `outcome`.
function effects.learn(st, call, op, other, outcome)
  if not call or not call.id then return end
  st:set_fact(call.id, { checked = true })
  if st:fact(call.id).ver ~= call.ver then return end
  local step = fresh_counts[call.name] and step_of(call)
  -- A count that differs from the added number shows that the key is not new.
  if step and step.id and step.id == other.id and (op == "eq") ~= outcome and (op == "eq" or op == "ne") then
    call.first_asked = true
    forget_pending(st, call)
    return
  end
  local list = outcomes_of(call)
  if not list then return end
  local agreed
  for _, candidate in ipairs(list) do
    local result = holds(candidate[1], op, other)
    if result == nil or result == outcome then
      if agreed and agreed ~= candidate[2] then return end
      agreed = candidate[2]
    end
  end
  if not agreed then return end
  if agreed.undo then
    call.first_asked = true
    undo(st, call)
  elseif agreed.existed then
    call.first_asked = tonumber(other.const) == list[1][1]
    forget_pending(st, call)
  else st:set_fact(call.id, agreed) end
end

return effects
