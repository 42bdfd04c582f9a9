-- warlock.lua: the npm package node-redis-warlock 1.0.2: SET PX NX with a fresh id for each try, a script that
-- compares it to release; optimistic() tries a number of times with pauses between. touch() sends lease and id as if
-- they were keys.
local evaluate = require "evaluate"
local keyspace = require "keyspace"

local release = script "node_redis_warlock/warlock/release.lua"
local touch = script "node_redis_warlock/warlock/touch.lua"

local M = { spec = "mutex", granted = "OK", runtime = "event loop" }

local Lock = {}
Lock.__index = Lock

local function key_of(name)
  return name .. ":lock"
end

-- warlock.lock: true, false; or nil and a problem.
local function ask(self)
  local me, name, lease_ms = self.me, self.name, self.lease_ms
  local id = me.id .. "/" .. me:unique("token")
  local reply, problem = me:call("SET", key_of(name), id, "PX", lease_ms, "NX",
                                 { op = "acquire", lock = name, lease = lease_ms })
  if problem then
    return nil, problem
  elseif reply ~= "OK" then
    me:refused(name)
    return false
  end
  self.id = id
  me:granted(name, { lease = lease_ms })
  return true
end

local function ask_some_times(self, tries)
  local me, name = self.me, self.name
  me:wants(name)
  for try = 1, tries do
    local got, problem = ask(self)
    if got then
      return true
    elseif got == nil then
      me:gave_up(name)
      return nil, evaluate.reason(problem)
    elseif try < tries then
      me:sleep(math.max(1, self.retry_ms))
    end
  end
  me:gave_up(name)
  return false
end

-- warlock.optimistic. Returns true, false when its tries are over; or nil and why.
function Lock:acquire()
  return ask_some_times(self, self.tries)
end

-- warlock.lock. Returns true, false; or nil and why.
function Lock:try_acquire()
  return ask_some_times(self, 1)
end

-- warlock.unlock. Returns true; nil, "not owner"; or nil and why.
function Lock:release()
  local me, name = self.me, self.name
  local reply, problem = evaluate.eval(me, release, { key_of(name) }, { self.id }, { op = "release", lock = name })
  if problem then
    return nil, evaluate.reason(problem)
  elseif reply == 1 then
    me:released(name, { count = 0 })
    return true
  end
  me:lost(name)
  return nil, "not owner"
end

-- warlock.touch. Returns true, false when it is not the caller's any more; or nil and why.
function Lock:touch(lease_ms)
  lease_ms = lease_ms or self.lease_ms
  local options = { op = "renew", lock = self.name, lease = lease_ms }
  local reply, problem = evaluate.eval(self.me, touch, { key_of(self.name), lease_ms, self.id }, {}, options)
  if problem then
    return nil, evaluate.reason(problem)
  end
  return reply == "OK"
end

function M.view(redis, name)
  local key = key_of(name)
  local value = redis.call("TYPE", key) == "string" and redis.call("GET", key)
  return { holders = value and { [value:match("^[^/]*")] = 1 } or {}, ttl_ms = redis.call("PTTL", key),
           keys = keyspace.existing(redis, { key }) }
end

-- opts: lease_ms (10000), tries (4), retry_ms (1000).
function M.lock(me, name, opts)
  me:observe(name, M)
  opts = opts or {}
  return setmetatable({ me = me, name = name, lease_ms = opts.lease_ms or 10000, tries = opts.tries or 4,
                        retry_ms = opts.retry_ms or 1000,
                        id = me.id .. "/none" }, Lock)
end

return M
