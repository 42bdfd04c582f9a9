-- redlock.lua: the Redlock algorithm of Redis' documentation, over several servers that know nothing of each other. A
-- client asks one server after the other for the key, with a value that is never used twice and a short time-out each.
-- It holds the lock if most of them gave it and some of the lease is left: the lease, less the time that asking took,
-- less an allowance for clocks that run at different speeds. Else it gives back what it got, from all servers, and
-- asks again after a pause (a random one in practice; here they are alike, and clients that wake at one instant go on
-- in any order).
local evaluate = require "evaluate"
local keyspace = require "keyspace"
local retry = require "retry"
local token = require "redlock.token"

local release = script "basic/set_nx/release.lua"

local Lock = {}
Lock.__index = Lock
retry.add(Lock)

function Lock:pause_ms()
  return self.retry_ms
end

-- One part in a hundred of the lease, and 2 ms for expiries by the millisecond.
local function drift_ms(lease_ms)
  return math.floor(lease_ms / 100) + 2
end

local function quorum(servers)
  return math.floor(servers / 2) + 1
end

-- Gives back what it may have got, from every server, whatever they answer. Returns how many still had it.
local function give_back(self)
  local had = 0
  for n = 1, self.servers do
    local reply = evaluate.eval(self.me:on(n), release, { self.name }, { self.token },
                                { op = "release", lock = self.name, timeout_ms = self.server_ms })
    had = had + (reply == 1 and 1 or 0)
  end
  return had
end

local function votes(self)
  local given = 0
  for n = 1, self.servers do
    local reply = self.me:on(n):call("SET", self.name, self.token, "NX", "PX", self.lease_ms,
                                     { op = "vote", lock = self.name, lease = self.lease_ms,
                                       timeout_ms = self.server_ms })
    given = given + (reply == "OK" and 1 or 0)
  end
  return given
end

function Lock:attempt()
  local me, name = self.me, self.name
  local began_ms = me:now()
  self.token = token.next(self)
  local given = votes(self)
  local valid_ms = self.lease_ms - (me:now() - began_ms) - drift_ms(self.lease_ms)
  if given >= quorum(self.servers) and valid_ms > 0 then
    self.valid_ms = valid_ms
    me:granted(name, { lease = valid_ms })
    return true
  end
  give_back(self)
  me:refused(name)
  return false
end

-- Returns true; or nil, "not owner" when most servers had lost it.
function Lock:release()
  local me, name = self.me, self.name
  if give_back(self) >= quorum(self.servers) then
    me:released(name, { count = 0 })
    return true
  end
  me:lost(name)
  return nil, "not owner"
end

-- The holder is the client whose value stands on most servers, for as long as it does.
local function holder_of(redis, name, servers)
  local ends = {}
  for n = 1, servers do
    local value = redis.on(n).call("GET", name)
    if value then
      local owner = value:match("^[^/]*")
      ends[owner] = ends[owner] or {}
      table.insert(ends[owner], redis.on(n).call("PTTL", name))
    end
  end
  for owner, ttls in pairs(ends) do
    if #ttls >= quorum(servers) then
      table.sort(ttls)
      return owner, ttls[#ttls - quorum(servers) + 1]
    end
  end
  return nil
end

local M = {}

-- The driver for so many servers. It names no reference specification: one server's answer does not decide.
function M.over(servers)
  local driver = { runtime = "threads" }

  function driver.view(redis, name)
    local holder, ttl_ms = holder_of(redis, name, servers)
    local keys = {}
    for n = 1, servers do
      if keyspace.exists(redis.on(n), name) then
        keys[#keys + 1] = name .. " on server " .. n
      end
    end
    return { holders = holder and { [holder] = 1 } or {}, ttl_ms = ttl_ms, keys = keys }
  end

  -- After an acquire, lock.valid_ms is how long the work may take.
  -- opts: lease_ms (2000), retry_ms (200), server_ms (50): how long one server's answer is waited for.
  function driver.lock(me, name, opts)
    local numbers = {}
    for n = 1, servers do
      numbers[n] = n
    end
    local all = me:on(unpack(numbers))
    all:observe(name, driver)
    opts = opts or {}
    return setmetatable({
      me = all, name = name, servers = servers, lease_ms = opts.lease_ms or 2000, retry_ms = opts.retry_ms or 200,
      server_ms = opts.server_ms or 50,
    }, Lock)
  end

  return driver
end

return M
