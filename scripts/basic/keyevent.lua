-- keyevent.lua: a lock that is woken by the server's own notifications (notify-keyspace-events = Egx): one key with a
-- fresh value and a TTL. A refused client has subscribed to __keyevent@0__:del and __keyevent@0__:expired and sleeps
-- until one of them names the lock's key, then asks again. A release is a plain delete if the value is still one's
-- own. An event says when the key is really removed, which for an expired one is the server's choice: within
-- milliseconds, or when a command reads it.
local evaluate = require "evaluate"
local holds = require "holds"

local release = script "simple/string/release.lua"

local M = {}

local both = { "__keyevent@0__:del", "__keyevent@0__:expired" }

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

local function listen(self)
  for _, channel in ipairs(self.events) do
    self.me:subscribe(channel, function(_, key)
      if key == self.name then
        self.woken:release(1)
      end
    end)
  end
end

local function leave(self)
  for _, channel in ipairs(self.events) do
    self.me:unsubscribe(channel)
  end
end

-- Waits for as long as it takes. Returns true; or nil and why.
function Lock:acquire()
  local me, name = self.me, self.name
  self.token = me.id .. "/" .. me:unique("token")
  me:wants(name)
  local got, why = attempt(self)
  if got ~= false then
    return got, why
  end
  listen(self)
  while true do
    if self.looks_again then
      got, why = attempt(self)
      if got ~= false then
        leave(self)
        return got, why
      end
    end
    self.woken:acquire()
    self.looks_again = true
  end
end

-- Returns true; nil and "not owner" when the lease was over; or nil and why no answer came.
function Lock:release()
  local me, name = self.me, self.name
  local reply, problem = evaluate.eval(me, release, { name }, { self.token }, { op = "release", lock = name })
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

-- The lock `name` as the task `me` sees it. options: lease_ms (2000); events (both: which notifications wake it);
-- looks_again (true: between subscribing and sleeping it asks again).
function M.lock(me, name, options)
  options = options or {}
  me:observe(name, M)
  return setmetatable({
    me = me, name = name, lease_ms = options.lease_ms or 2000, events = options.events or both,
    looks_again = options.looks_again ~= false, woken = me:semaphore(0),
  }, Lock)
end

M.spec = "mutex"

-- Tokens begin with their owner's id.
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
