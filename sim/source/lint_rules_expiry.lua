-- lint_rules_expiry.lua: locks that can stay for ever, and lengths of time in the wrong unit.
local commands = require "lint_commands"
local values = require "lint_values"

local rules = {}

local timers = values.set("expire", "pexpire", "expireat", "pexpireat", "setex", "psetex")

-- Which keys are locks: those that get a time to live somewhere in the script, those that are looked for before they
-- are made, and those whose count, or whose new field, is compared with that of a new key.
local function note(w, id, what)
  if not id then return end
  w.lock_signs = w.lock_signs or {}
  w.lock_signs[id] = w.lock_signs[id] or what
end

local counts = values.set("incr", "incrby", "hincrby", "hsetnx")

local function note_timers(w, call, id)
  if timers[call.name] then note(w, id, "timed") end
  if call.name == "set" and (commands.option(call, "EX", 3) or commands.option(call, "PX", 3)) then
    note(w, id, "timed")
  end
end

-- ---- LS023: units ----

local in_seconds = { expire = 2, setex = 2 }
local in_ms = { pexpire = 2, psetex = 2 }

local function name_of(node)
  if node and node.tag == "Id" then return node[1] end
  if node and node.tag == "Call" and node[2] and node[2].tag == "Id" then return node[2][1] end
end

local function unit_of(name)
  if not name then return nil end
  local lower = "_" .. name:gsub("(%l)(%u)", "%1_%2"):lower() .. "_"
  if lower:find("_ms_") or lower:find("milli") then return "ms" end
  if lower:find("_s_") or lower:find("_sec_") or lower:find("_secs_") or lower:find("_seconds?_") then return "s" end
end

local function check_unit(w, call, place, unit)
  local name, value = name_of(call.nodes[place]), call.args[place]
  if not value then return end
  local said = unit_of(name)
  local number = tonumber(value.const)
  if said and said ~= unit then
    w:report("LS023", call.nodes[place],
             ("'%s' is by its name in %s, and %s takes %s"):format(name, said == "ms" and "milliseconds" or "seconds",
             call.name:upper(), unit == "ms" and "milliseconds" or "seconds"),
             "use " .. (said == "ms" and "PEXPIRE or PX" or "EXPIRE or EX"))
  elseif number and unit == "ms" and number > 0 and number <= 60 then
    w:report("LS023", call.nodes[place],
             ("%s takes milliseconds: this key lives %s ms"):format(call.name:upper(), tostring(number)),
             "for seconds use EXPIRE or EX")
  elseif number and unit == "s" and number >= 1e7 then
    w:report("LS023", call.nodes[place],
             ("%s takes seconds: this key lives %d days"):format(call.name:upper(), number / 86400),
             "for milliseconds use PEXPIRE or PX")
  end
end

local function units(w, call)
  if in_seconds[call.name] then check_unit(w, call, in_seconds[call.name], "s") end
  if in_ms[call.name] then check_unit(w, call, in_ms[call.name], "ms") end
  if call.name == "set" then
    local ex, px = commands.option(call, "EX", 3), commands.option(call, "PX", 3)
    if ex then check_unit(w, call, ex + 1, "s") end
    if px then check_unit(w, call, px + 1, "ms") end
  end
end

function rules.command(w, st, call)
  if not call.row then return end
  units(w, call)
  for _, place in ipairs(call.places) do
    note_timers(w, call, call.args[place].id)
    if commands.makes(call.name) then call.was_absent = st:fact(call.args[place].id).exists == "no" end
  end
end

function rules.done(w, _, call)
  local place = call.row and call.places[1]
  if place and (call.was_absent or call.conditional) then note(w, call.args[place].id, "taken") end
end

-- LS008: at each end of the script, the keys that were written and have no time to live.
function rules.finish(w, st)
  if w.muted > 0 then return end
  w.unexpired = w.unexpired or {}
  for id, fact in pairs(st.keys) do
    for _, call in pairs(fact.pending or {}) do
      w.unexpired[#w.unexpired + 1] = { id = id, call = call }
      if call.first_asked and counts[call.name] then note(w, id, "taken") end
    end
  end
end

function rules.over(w)
  local signs = w.lock_signs or {}
  local all = w.unexpired or {}
  table.sort(all, function(a, b) return a.id < b.id end)
  for _, left in ipairs(all) do
    local sign = signs[left.id]
    if sign then
      w:report("LS008", left.call.node,
               ("'%s' can leave this key without expiry: on some way from here to the end none is set"):format(
                 left.call.name),
               sign == "timed" and "set the expiry on every way, as elsewhere in this script"
                               or "a holder that crashes locks all clients out: SET ... NX PX, or PEXPIRE right after")
    end
  end
end

return rules
