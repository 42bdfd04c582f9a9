-- mutate_clients.lua: the possible mistakes in client code besides those of any Lua: requests, subscriptions, errors,
-- callbacks.
local tree = require "tree"

local clients = {}

-- Calls of a driver that only inform the model (the driver API): without them no client behaves differently.
local notes = { observe = true, wants = true, refused = true, granted = true, gave_up = true, released = true,
                lost = true, log = true,
                use = true }
local note_fields = { op = true, lock = true, lease = true, resend = true, again = true, spec = true }
local loaders = { require = true, script = true, error = true }

-- "eval" of me:eval(...) and evaluate.eval(...); nil: it is no such call.
local function name_of(node)
  if node.tag == "Invoke" then return node[2].tag == "String" and node[2][1] or nil end
  local called = node.tag == "Call" and node[1]
  if called and called.tag == "Index" and called[2].tag == "String" then return called[2][1] end
  return called and called.tag == "Id" and called[1] or nil
end

-- A function with an argument `redis` is a view, or part of one.
local function looks_at_redis(node)
  for _, param in ipairs(node[1]) do
    if param[1] == "redis" then return true end
  end
  return false
end

-- An announcement, a field that describes a request to the model, a part of a view, or something without which a file
-- cannot be loaded.
function clients.is_note(node)
  if node.tag == "Function" then return looks_at_redis(node) end
  if node.tag == "Invoke" then return notes[name_of(node)] or false end
  if node.tag == "Call" then return node[1].tag == "Id" and loaders[node[1][1]] or false end
  if node.tag ~= "Pair" or node[1].tag ~= "String" then return false end
  return node[1][1] == "view" or note_fields[node[1][1]] and node[2].tag ~= "Function" or false
end

-- `function driver.view(redis, name)`: the model's eye.
function clients.is_view(node)
  local target, value = node[1][1], node[2] and node[2][1]
  return node.tag == "Set" and value and value.tag == "Function" and target.tag == "Index" and
         target[2].tag == "String" and
         target[2][1] == "view" or false
end

local requests = { eval = true, call = true, send = true, ask = true, ask_until_answered = true, unsubscribe = true }
local takes_callback = { on_answer = true, subscribe = true, send_subscribe = true, spawn = true,
                         subscribe_for_good = true, ask = true }

local function is_request(node)
  return (node.tag == "Call" or node.tag == "Invoke") and requests[name_of(node)] and not tree.redis_call(node)
end

-- Two adjacent statements of which one sends a request, and neither declares or leaves anything.
local movable = { Call = true, Invoke = true, Set = true }
local function asks(node)
  local found = is_request(node)
  tree.walk(node, function(part)
    if part.tag == "Function" then return true end
    found = found or is_request(part) or name_of(part) == "subscribe"
  end)
  return found
end

function clients.may_change_places(one, two)
  return movable[one.tag] and movable[two.tag] and not clients.is_note(one) and not clients.is_note(two) and
         (asks(one) or asks(two)) or false
end

-- The changes of one call, as { operator =, range =, new = }.
function clients.changes(_, node)
  local list, name = {}, name_of(node)
  if is_request(node) then
    list[1] = { operator = "drop request", range = node, new = "nil" }
  elseif name == "subscribe" and node.tag == "Invoke" then
    list[1] = { operator = "drop subscription", range = node, new = "true" }
  end
  for i = 2, takes_callback[name] and #node or 0 do
    local callback = node[i].tag == "Function" or (name ~= "ask" and i == #node and node[i].tag == "Id" and
                                                   name == "on_answer")
    if callback then list[#list + 1] = { operator = "skip callback", range = node[i], new = "function() end" } end
  end
  return list
end

return clients
