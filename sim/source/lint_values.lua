-- lint_values.lua: what is known of a Lua value without running the script: its possible types, and its origin.
--
-- A value is a table that is never changed after it is made, except `elem` and `fields` of a table under construction:
--   types   set of "string" "number" "nil" "false" "true" "table" "function"; nil: anything
--   const   the string or number it is, if only one is possible
--   from    as a key: "keys" (an element of KEYS), "built" (text put together with one), "foreign" (ARGV, a literal, a
--           reply)
--   keyed   it may be an element of KEYS, and may be something else
--   why     the words for a foreign one
--   id      a name for the value: two values with one id are the same string
--   call    the redis.call it is the reply of; `converted` if by way of tonumber; `narrowed` once a test has taken
--           types away
--   elem    what a table's elements can be; fields: by name; array: "KEYS" or "ARGV"; lib, fn, closure: what can be
--           called
--   big     a number that can be above 10^14;  frac: one that can have a fraction;  seconds: seconds since 1970
local values = {}

local ranks = { keys = 1, built = 2, foreign = 3 }
local ID_BYTES_MAX = 200

local function set(...)
  local s = {}
  for i = 1, select("#", ...) do s[select(i, ...)] = true end
  return s
end
values.set = set

function values.unknown(id)
  return { id = id }
end

function values.constant(v)
  if v == nil then return { types = set("nil"), id = "nil" } end
  if type(v) == "boolean" then return { types = set(tostring(v)), id = tostring(v) } end
  local id = type(v) == "string" and ("%q"):format(v) or tostring(v)
  return { types = set(type(v)), const = v, id = id, from = "foreign", why = type(v) == "string" and "a literal" or
           "a number",
           big = type(v) == "number" and math.abs(v) >= 1e14 or nil,
           frac = type(v) == "number" and v % 1 ~= 0 or nil }
end

function values.of(types, id)
  return { types = types, id = id }
end

-- A copy with some fields changed; `false` takes a field away.
function values.with(value, changes)
  local copy = {}
  for k, v in pairs(value) do copy[k] = v end
  for k, v in pairs(changes) do copy[k] = v or nil end
  return copy
end

local function join_types(a, b)
  if not a or not b then return nil end
  local types = {}
  for name in pairs(a) do types[name] = true end
  for name in pairs(b) do types[name] = true end
  return types
end

local function join_ids(a, b)
  if a == b then return a end
  if not a or not b then return nil end
  if a > b then a, b = b, a end
  local id = "(" .. a .. "|" .. b .. ")"
  return #id <= ID_BYTES_MAX and id or nil
end

-- The id of a text concatenated from two.
function values.chain(a, b)
  if not a or not b then return nil end
  local id = a .. ".." .. b
  return #id <= ID_BYTES_MAX and id or nil
end

function values.worse_key(a, b)
  if (ranks[b.from] or 0) > (ranks[a.from] or 0) then return b.from, b.why end
  return a.from, a.why
end

-- What is either the one or the other.
function values.join(a, b)
  if a == b or not b then return a end
  if not a then return b end
  local from, why = values.worse_key(a, b)
  if not a.types and not a.from or not b.types and not b.from then from, why = nil, nil end
  return {
    types = join_types(a.types, b.types), const = a.const == b.const and a.const or nil, from = from, why = why,
    id = join_ids(a.id, b.id), call = a.call == b.call and a.call or nil, converted = a.converted,
    narrowed = a.narrowed or b.narrowed,
    elem = a.elem and b.elem and values.join(a.elem, b.elem) or nil, array = a.array == b.array and a.array or nil,
    fields = a.fields == b.fields and a.fields or nil,
    lib = a.lib == b.lib and a.lib or nil, fn = a.fn == b.fn and a.fn or nil,
    closure = a.closure == b.closure and a.closure or nil,
    big = a.big or b.big, frac = a.frac or b.frac, seconds = a.seconds or b.seconds,
    compared = a.compared or b.compared, keyed = a.keyed or b.keyed or a.from == "keys" or b.from == "keys" or nil,
  }
end

local compared = { "const", "from", "id", "call", "array", "lib", "fn", "closure", "big", "frac", "seconds" }

local function same_types(a, b)
  if not a or not b then return a == b end
  for name in pairs(a) do if not b[name] then return false end end
  for name in pairs(b) do if not a[name] then return false end end
  return true
end

function values.same(a, b)
  if a == b then return true end
  if not a or not b then return false end
  for _, field in ipairs(compared) do
    if a[field] ~= b[field] then return false end
  end
  return same_types(a.types, b.types)
end

function values.can_be(value, name)
  return not value.types or value.types[name] == true
end

-- Is it known to have none but these types, and one of them at least?
function values.only(value, ...)
  if not value.types or next(value.types) == nil then return false end
  local allowed = set(...)
  for name in pairs(value.types) do
    if not allowed[name] then return false end
  end
  return true
end

function values.can_be_falsy(value)
  return values.can_be(value, "nil") or values.can_be(value, "false")
end

-- The same value where it is known to have (keep = true), or not to have, one of the named types.
function values.narrow(value, names, keep)
  if not value.types then
    return keep and values.with(value, { types = names, narrowed = true }) or value
  end
  local types, changed = {}, false
  for name in pairs(value.types) do
    if (names[name] or false) == keep then types[name] = true else changed = true end
  end
  return changed and values.with(value, { types = types, narrowed = true }) or value
end

values.falsy = set("nil", "false")
values.anything = values.unknown()

return values
