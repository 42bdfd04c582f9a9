-- lock.lua: Lock of redis-py, as of 4.3.4 (Debian 12's python3-redis), much the same since release 3.0 (2018): SET PX
-- NX with a fresh token for each acquire, scripts that compare the token to release and to extend; a refused client
-- sleeps 100 ms and asks again. A release forgets the token before it asks: one that fails cannot be tried again.
-- Since release 6.0 (checked with 6.1.0, Debian 13's) the client sends each request again that got no answer, three
-- times unless told otherwise: `retries = 3`.
local evaluate = require "evaluate"
local keyspace = require "keyspace"

local release = script "redis_py/lock/release.lua"
local extend = script "redis_py/lock/extend.lua"
local reacquire = script "redis_py/lock/reacquire.lua"

-- A thread has its token for itself (threading.local), and shares nothing else.
local M = { spec = "mutex", granted = "OK", runtime = "gil" }

local Lock = {}
Lock.__index = Lock

-- Announces a request, and whether it may be sent again, and is.
local function with(self, again, op, lease_ms)
  return { op = op, lock = self.name, lease = lease_ms, resend = self.retries > 0, again = again }
end

-- Retry.call_with_retry: sends by send(again), and again where there is no answer, after up to 2, 4 and 8 s
-- (ExponentialWithJitterBackoff, base 1 s, cap 10 s). Returns what the last one did.
local function insist(self, send)
  local reply, problem = send(false)
  for failures = 1, self.retries do
    if not problem or (problem.kind ~= "timeout" and problem.kind ~= "lost") then
      break
    end
    local pause_ms = self.me:random { 0, math.min(1000 * 2 ^ failures, 10000) }
    if pause_ms > 0 then
      self.me:sleep(pause_ms)
    end
    reply, problem = send(true)
  end
  return reply, problem
end

-- Script.__call__: by digest, and a server that does not know it is given the text.
local function run(self, script, argv, op, lease_ms)
  local me = self.me
  local function by_digest(again)
    return me:eval(script, { self.name }, argv, with(self, again, op, lease_ms))
  end
  local reply, problem = insist(self, by_digest)
  if evaluate.unknown(problem) then
    local loaded, failure = insist(self, function() return evaluate.load(me, script) end)
    if not loaded then
      return nil, failure
    end
    reply, problem = insist(self, by_digest)
  end
  return reply, problem
end

-- Lock.do_acquire: true, false; or nil and a problem.
local function ask(self, token)
  local me, name, lease_ms = self.me, self.name, self.lease_ms
  local reply, problem = insist(self, function(again)
    local options = with(self, again, "acquire", lease_ms)
    if lease_ms then
      return me:call("SET", name, token, "PX", lease_ms, "NX", options)
    end
    return me:call("SET", name, token, "NX", options)
  end)
  if problem then
    return nil, problem
  end
  return reply == "OK"
end

-- Lock.acquire. Asks until until_ms, but not again if the next try would be after it; nil: for ever; blocking false:
-- once.
local function acquire(self, blocking, until_ms)
  local me, name = self.me, self.name
  local token = me.id .. "/" .. me:unique("token")
  me:wants(name)
  while true do
    local got, problem = ask(self, token)
    if got == nil then
      me:gave_up(name)
      return nil, evaluate.reason(problem)
    elseif got then
      self.token = token
      me:granted(name, { lease = self.lease_ms })
      return true
    end
    me:refused(name)
    if not blocking or (until_ms and me:monotonic() + self.retry_ms > until_ms) then
      me:gave_up(name)
      return false
    end
    me:sleep(self.retry_ms)
  end
end

-- acquire(). Returns true; or nil and why.
function Lock:acquire()
  return acquire(self, true)
end

-- acquire(blocking_timeout = wait_ms); without it acquire(blocking = False). Returns true, false, or nil and why. Its
-- end is counted by time.monotonic().
function Lock:try_acquire(wait_ms)
  return acquire(self, wait_ms ~= nil, wait_ms and self.me:monotonic() + wait_ms)
end

-- release(). Returns true; nil, "not held" without asking; nil, "not owner"; or nil and why no answer came.
function Lock:release()
  local me, name, token = self.me, self.name, self.token
  if token == nil then
    return nil, "not held"
  end
  self.token = nil
  local reply, problem = run(self, release, { token }, "release")
  if problem then
    return nil, evaluate.reason(problem)
  elseif reply == 1 then
    me:released(name, { count = 0 })
    return true
  end
  me:lost(name)
  return nil, "not owner"
end

local function renew(self, script, argv, lease_ms)
  if self.token == nil then
    return nil, "not held"
  elseif self.lease_ms == nil then
    return nil, "no lease"
  end
  table.insert(argv, 1, self.token)
  local reply, problem = run(self, script, argv, "renew", lease_ms)
  if problem then
    return nil, evaluate.reason(problem)
  elseif reply == 1 then
    return true
  end
  return nil, "not owner"
end

-- extend(more, replace_ttl). Returns true; or nil and why.
function Lock:extend(more_ms, replace)
  return renew(self, extend, { more_ms, replace and "1" or "0" }, replace and more_ms or nil)
end

-- reacquire(). Returns true; or nil and why.
function Lock:reacquire()
  return renew(self, reacquire, { self.lease_ms }, self.lease_ms)
end

local function look(self)
  return insist(self, function(again)
    return self.me:call("GET", self.name, with(self, again, "look"))
  end)
end

-- locked(), owned(): true or false; or nil and why.
function Lock:locked()
  local value, problem = look(self)
  if problem then
    return nil, evaluate.reason(problem)
  end
  return value ~= nil
end

function Lock:owned()
  local value, problem = look(self)
  if problem then
    return nil, evaluate.reason(problem)
  end
  return self.token ~= nil and value == self.token
end

function M.view(redis, name)
  local value = redis.call("TYPE", name) == "string" and redis.call("GET", name)
  return { holders = value and { [value:match("^[^/]*")] = 1 } or {}, ttl_ms = redis.call("PTTL", name),
           keys = keyspace.existing(redis, { name }) }
end

-- opts: lease_ms (2000; false: none, as the package has it unless told), retry_ms (100), retries (0: none, as up to
-- release 5; 3: as 6.0 and later have it unless told).
function M.lock(me, name, opts)
  me:observe(name, M)
  opts = opts or {}
  local lease_ms = opts.lease_ms or (opts.lease_ms == nil and 2000) or nil
  return setmetatable({ me = me, name = name, lease_ms = lease_ms, retry_ms = opts.retry_ms or 100,
                        retries = opts.retries or 0 }, Lock)
end

return M
