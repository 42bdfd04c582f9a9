-- blocking.lua: a lock in the manner of python-redis-lock: one key with a fresh value and a TTL, and beside it a list
-- in which a release leaves a sign. Refused clients wait at the server (BLPOP) until there is a sign, or for as long
-- as a lease lasts, and ask again. The first waiter takes the sign; the sign has a TTL of its own, so that none is
-- left lying about.
local evaluate = require "evaluate"
local holds = require "holds"

local release = script "basic/blocking/release.lua"

local M = {}

local sign_ms = 1000

function M.signs(name)
  return name:find("{", 1, true) and name .. ":signs" or "{" .. name .. "}:signs"
end

local Lock = {}
Lock.__index = Lock

-- One try: true; false when another client holds it; or nil and why.
local function attempt(self)
  local me, name = self.me, self.name
  local reply, problem = me:call("SET", name, self.token, "NX", "PX", self.lease_ms,
                                 { op = "acquire", lock = name, lease = self.lease_ms })
  if problem then
    me:gave_up(name)
    return nil, evaluate.reason(problem)
  elseif reply ~= "OK" then
    me:refused(name)
    return false
  end
  me:granted(name, { lease = self.lease_ms, count = holds.add(me, name) })
  return true
end

-- Until a sign comes, or `ms` are over. A wait that was broken off does no harm: the client asks again and sees how
-- things stand.
local function wait_for_sign(self, ms)
  -- locksim: allow LC001 after the wait the client asks for the lock again, whatever came
  self.me:call("BLPOP", M.signs(self.name), ms / 1000, { op = "wait", lock = self.name })
end

local function take(self, until_ms)
  local me, name = self.me, self.name
  self.token = me.id .. "/" .. me:unique("token")
  me:wants(name)
  while true do
    local got, why = attempt(self)
    if got ~= false then
      return got, why
    end
    local left_ms = until_ms and until_ms - me:now()
    if left_ms and left_ms <= 0 then
      me:gave_up(name)
      return false
    end
    wait_for_sign(self, left_ms and math.min(left_ms, self.lease_ms) or self.lease_ms)
  end
end

-- Waits for as long as it takes. Returns true; or nil and why.
function Lock:acquire()
  return take(self)
end

-- Waits wait_ms at most. Returns true, false when the time is up, or nil and why.
function Lock:try_acquire(wait_ms)
  return take(self, self.me:now() + (wait_ms or 0))
end

-- Returns true; nil and "not owner" when the lease was over; or nil and why no answer came.
function Lock:release()
  local me, name = self.me, self.name
  local reply, problem = evaluate.eval(me, release, { name, M.signs(name) }, { self.token, sign_ms },
                                       { op = "release", lock = name })
  holds.clear(me, name)
  if problem then
    return nil, evaluate.reason(problem)
  elseif reply == 0 then
    me:lost(name)
    return nil, "not owner"
  end
  me:released(name)
  return true
end

-- The lock `name` as the task `me` sees it. options: lease_ms (2000).
function M.lock(me, name, options)
  me:observe(name, M)
  return setmetatable({ me = me, name = name, lease_ms = options and options.lease_ms or 2000 }, Lock)
end

M.spec = "mutex"

-- Tokens begin with their owner's id. A sign outlives the lock for a while, as it is meant to.
function M.view(redis, name)
  local token = redis.call("GET", name)
  return {
    holders = token and { [token:match("^[^/]+")] = 1 } or {},
    ttl_ms  = redis.call("PTTL", name),
    queue   = {},
    keys    = token and { name } or {},
  }
end

return M
