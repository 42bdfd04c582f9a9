-- redlock.lua: Redlock of the npm package redlock (node-redlock) 5.0.0-beta.2, over several servers that know nothing
-- of each other. One value is made for each acquire() and goes with all of its tries. A try asks all servers side by
-- side and is over as soon as most are for it or most are against; the other answers are not waited for. Votes
-- that a refused try got are kept, and given back after the last try only. The rest of the lease is counted from
-- the first try on; acquire() itself never looks at it.
--
-- A name with "+" stands for several resources, which are taken together: "A+B".
local evaluate = require "evaluate"
local keyspace = require "keyspace"

local acquire = script "node_redlock/redlock/acquire.lua"
local extend = script "node_redlock/redlock/extend.lua"
local release = script "node_redlock/redlock/release.lua"

local M = {}

-- The settings of the package, by our names.
local defaults = { lease_ms = 5000, drift = 0.01, retries = 10, retry_ms = 200, jitter_ms = 100, threshold_ms = 500 }

local function quorum(servers)
  return math.floor(servers / 2) + 1
end

local function resources_of(name)
  local resources = {}
  for resource in name:gmatch("[^+]+") do
    resources[#resources + 1] = resource
  end
  return resources
end

-- Node takes a delay below 1 ms for 1 ms.
local function timer_ms(ms)
  return math.max(1, ms)
end

-- ---- one try: Redlock._attemptOperation ----

-- Whether the answer is a vote for it: every resource was done. An error is a vote against it.
local function is_for(self, reply, problem)
  return problem == nil and reply == #self.resources
end

-- Asks all servers. Returns whether most are for it, as soon as most are of one mind. Where a tie is possible, with an
-- even number of servers, it may never return.
local function vote(self, request)
  local votes = { [true] = 0, [false] = 0 }
  local decided = self.me:semaphore(0)
  local result
  for n = 1, self.servers do
    evaluate.send(self.me:on(n), request.script, self.resources, request.argv, request.options,
                  function(_, reply, problem)
      local side = is_for(self, reply, problem)
      votes[side] = votes[side] + 1
      if votes[side] == quorum(self.servers) and result == nil then
        result = side
        decided:release(1)
      end
    end)
  end
  decided:acquire()
  return result
end

-- ---- tries until one is granted: Redlock._execute ----

local function jitter_ms(self)
  local ms = self.opts.jitter_ms
  return ms > 0 and self.me:random { -ms, ms - 1 } or 0
end

-- retries: how many tries there may be after the first; -1: any number, for a release of a lock that is gone, too.
local function execute(self, request, retries)
  while not vote(self, request) do
    if request.refused then
      request.refused()
    end
    if retries == 0 then
      return false
    end
    retries = math.max(retries - 1, -1)
    self.me:sleep(timer_ms(self.opts.retry_ms + jitter_ms(self)))
  end
  return true
end

-- ---- Lock ----

local Lock = {}
Lock.__index = Lock

-- When a lease that was asked for at began_ms is over, by its owner's account: clocks run at different speeds, and
-- keys live by the millisecond.
local function ends_ms(self, began_ms, lease_ms)
  return began_ms + lease_ms - (math.floor(self.opts.drift * lease_ms + 0.5) + 2)
end

local function release_request(self)
  return { script = release, argv = { self.value }, options = { op = "release", lock = self.name } }
end

local ended_ms = -2                            -- how long a lease lasts that is over when it is told of

-- Redlock.acquire. Returns true; or false when its tries are over. lock.until_ms is then what the package calls
-- expiration: it may have passed.
function Lock:acquire(retries)
  local me, name, lease_ms = self.me, self.name, self.opts.lease_ms
  local began_ms = me:now()
  self.value = me.id .. "/" .. me:unique("token")
  me:wants(name)
  local request = { script = acquire, argv = { self.value, lease_ms },
                    options = { op = "vote", lock = name, lease = lease_ms } }
  request.refused = function() me:refused(name) end
  if execute(self, request, retries or self.opts.retries) then
    self.until_ms = ends_ms(self, began_ms, lease_ms)
    local left_ms = self.until_ms - me:now()
    me:granted(name, { lease = left_ms < 0 and ended_ms or left_ms })
    return true
  end
  execute(self, release_request(self), 0)
  me:gave_up(name)
  return false
end

-- acquire() with retryCount 0.
function Lock:try_acquire()
  return self:acquire(0)
end

-- Redlock.release. Returns true; or nil, "not owner" when most servers said so at each of its tries.
function Lock:release()
  local me, name = self.me, self.name
  self.until_ms = 0
  if execute(self, release_request(self), self.opts.retries) then
    me:released(name, { count = 0 })
    return true
  end
  me:lost(name)
  return nil, "not owner"
end

-- Redlock.extend. Returns true; nil, "expired" without asking when the lease is over; or nil, "not owner".
function Lock:extend(lease_ms)
  local began_ms = self.me:now()
  lease_ms = lease_ms or self.opts.lease_ms
  if self.until_ms < began_ms then
    return nil, "expired"
  end
  local options = { op = "renew", lock = self.name, lease = lease_ms }
  if not execute(self, { script = extend, argv = { self.value, lease_ms }, options = options }, self.opts.retries) then
    return nil, "not owner"
  end
  self.until_ms = ends_ms(self, began_ms, lease_ms)
  return true
end

-- ---- Redlock.using: automatic extension ----

-- A timer that extends the lock threshold_ms before its end, again and again; when the lease is over before an
-- extension was granted, and its tries are over, too, the routine is told: signal.aborted is true, and
-- signal.on_abort() is called if there is one.
local function queue_extension(self, held)
  held.timer = self.me:spawn("extension", function(task)
    local lock = setmetatable({ me = task }, { __index = self, __newindex = self })
    task:sleep(timer_ms(self.until_ms - task:now() - self.opts.threshold_ms))
    held.extending, held.timer = held.timer, nil
    repeat
      if lock:extend() then
        queue_extension(lock, held)
        return
      end
    until self.until_ms <= task:now()
    held.signal.aborted = true
    if held.signal.on_abort then
      held.signal.on_abort()
    end
  end, { daemon = true })
end

-- Runs routine(signal) with the lock. Returns its result; nil, "refused"; or nil, "not owner" when the release said
-- so.
function Lock:using(routine)
  if not self:acquire() then
    return nil, "refused"
  end
  local held = { signal = { aborted = false } }
  queue_extension(self, held)
  local result = routine(held.signal)
  -- The routine is over; its release waits for an extension's answer, but no client is inside.
  if held.signal.aborted or (held.extending and not held.extending:done()) then
    self.me:lost(self.name)
  end
  if held.timer then
    held.timer:cancel()
  end
  if held.extending then
    held.extending:join()
  end
  local released, why = self:release()
  if not released then
    return nil, why
  end
  return result
end

-- ---- the keyspace ----

-- The owner that has all resources on most servers, and for how long.
local function holder_of(redis, resources, servers)
  local ends = {}
  for n = 1, servers do
    local value, ttl_ms = redis.on(n).call("GET", resources[1]), nil
    for _, resource in ipairs(resources) do
      local ms = redis.on(n).call("PTTL", resource)
      ttl_ms = ttl_ms and math.min(ttl_ms, ms) or ms
      value = redis.on(n).call("GET", resource) == value and value or nil
    end
    local owner = value and value:match("^[^/]*")
    if owner then
      ends[owner] = ends[owner] or {}
      table.insert(ends[owner], ttl_ms)
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

-- The driver for so many servers. It names no reference specification: one server's answer does not decide.
function M.over(servers)
  local driver = { runtime = "event loop" }

  function driver.view(redis, name)
    local resources = resources_of(name)
    local holder, ttl_ms = holder_of(redis, resources, servers)
    local keys = {}
    for n = 1, servers do
      for _, key in ipairs(keyspace.existing(redis.on(n), resources)) do
        keys[#keys + 1] = servers > 1 and key .. " on server " .. n or key
      end
    end
    return { holders = holder and { [holder] = 1 } or {}, ttl_ms = ttl_ms, keys = keys }
  end

  -- opts: lease_ms (5000), drift (0.01), retries (10; -1: without end), retry_ms (200), jitter_ms (100), threshold_ms
  -- (500).
  function driver.lock(me, name, opts)
    local numbers = {}
    for n = 1, servers do
      numbers[n] = n
    end
    local all = me:on(unpack(numbers))
    all:observe(name, driver)
    opts = setmetatable(opts or {}, { __index = defaults })
    return setmetatable({ me = all, name = name, resources = resources_of(name), servers = servers, opts = opts,
                          value = me.id .. "/none", until_ms = 0 }, Lock)
  end

  return driver
end

return M
