-- recorded.lua: clients that send what a log of a real server says, word for word and at the log's own times: how
-- `locksim trace --to-scenario` makes a scenario of what happened.
--
--   program = recorded.program {
--     driver = require "redis_py.lock", lock = "order:42",    -- whose view says who holds; or a generic.lock table
--     granted = { "OK" }, released = { 1 },            -- what acquire and release answered when they worked
--     requests = { A = { { at = 0, op = "acquire", lease_ms = 300,
--                          words = { "SET", "order:42", "A:1", "NX", "PX", "300" } } } },
--   }
--
-- A client believes what it believed then as long as it is answered as it was then: so a mended lock shows another
-- ending of the same story.
local generic = require "generic"
local holds = require "holds"

local M = {}

-- An instant among the words of a request: so many ms after the first request of all.
function M.at(ms)
  return { at = ms }
end

local function filled(words, began_ms)
  local out = {}
  for i, word in ipairs(words) do
    out[i] = type(word) == "table" and string.format("%.0f", began_ms + word.at) or word
  end
  return out
end

-- Is the reply one of these? Of an array the first item counts; false stands for nil.
local function among(list, reply)
  if type(reply) == "table" then
    reply = reply[1]
  end
  for _, item in ipairs(list) do
    if item == reply or (item == false and reply == nil) then
      return true
    end
  end
  return false
end

local function send(me, lock, request, began_ms)
  local options = { op = request.op, lock = lock, lease = request.lease_ms }
  if request.script then
    return me:eval(request.script, filled(request.keys, began_ms), filled(request.args, began_ms), options)
  end
  local words = filled(request.words, began_ms)
  words[#words + 1] = options
  return me:call(unpack(words))
end

local function begins(op, word)
  return op == word or op:sub(1, #word + 1) == word .. "_"
end

local function is_acquire(op)
  return begins(op, "acquire") or begins(op, "try_acquire") or begins(op, "try_once") or begins(op, "lock") or
         begins(op, "try_lock")
end

local function is_release(op)
  return begins(op, "release") or begins(op, "unlock")
end

local function announce(me, given, request, reply, problem)
  local lock = given.lock
  if is_acquire(request.op) then
    if problem == nil and among(given.granted, reply) then
      me.process.wants = false
      me:granted(lock, { lease = request.lease_ms, count = holds.add(me, lock) })
    else
      me:refused(lock)
    end
  elseif is_release(request.op) and problem == nil then
    if among(given.released, reply) then
      me:released(lock, { count = holds.drop(me, lock) })
    else
      holds.clear(me, lock)
      me:lost(lock)
    end
  end
end

function M.program(given)
  local driver = given.driver.lock == nil and generic.lock(given.driver) or given.driver
  return function(me)
    local began_ms, lock = me:now(), given.lock
    driver.lock(me, lock, {})
    for _, request in ipairs(given.requests[me.client]) do
      local left_ms = began_ms + request.at - me:now()
      if left_ms > 0 then
        me:sleep(left_ms)
      end
      if is_acquire(request.op) and not me.process.wants then
        me.process.wants = true
        me:wants(lock)
      end
      announce(me, given, request, send(me, lock, request, began_ms))
    end
  end
end

return M
