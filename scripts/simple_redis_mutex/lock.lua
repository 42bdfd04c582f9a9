-- lock.lua: the npm package simple-redis-mutex 3.0.0: SET NX PX with a random value, and a number from a counter of
-- all locks as fencing token, asked for when the lock is taken. A waiter asks again when a message says that the
-- lock was released, and each pollingInterval. One subscription for a process; a task that comes while it is on its
-- way does not wait for it.
local evaluate = require "evaluate"
local keyspace = require "keyspace"

local release = script "simple_redis_mutex/lock/release.lua"

local M = { spec = "mutex", granted = "OK", runtime = "event loop" }

local channel = "@simple-redis-mutex:locks-releases"
local counter = "@simple-redis-mutex:fencing-tokens"

local Lock = {}
Lock.__index = Lock

local function key_of(name)
  return "@simple-redis-mutex:lock-" .. name
end

-- The module's memory in its process: callbacks of the waiters, whether the subscription was begun, whether the
-- script was loaded.
local function module_of(me)
  local process = me.process
  process.mutexes = process.mutexes or { callbacks = {}, open = false, loaded = false }
  return process.mutexes
end

-- listenForUpdates. The task that begins it waits until it is confirmed.
local function listen(me)
  local module = module_of(me)
  if module.open then
    return
  end
  module.open = true
  me:subscribe(channel, function(_, message)
    local key = message:match('"key": "(.-)"')
    for _, callback in ipairs(module.callbacks) do
      if callback.key == key then
        callback.wake()
      end
    end
  end)
end

-- ---- tryLock ----

-- One try of a task. Returns { value, fence, asked_ms }; false; or nil and a problem.
local function try_once(self, me)
  local name, lease_ms = self.name, self.lease_ms
  local value = me.id .. "/" .. me:unique("token")
  listen(me)
  local asked_ms = me:now()
  local got, problem = me:call("SET", key_of(name), value, "PX", lease_ms, "NX",
                               { op = "acquire", lock = name, lease = lease_ms })
  if problem then
    return nil, problem
  elseif got ~= "OK" then
    self.me:refused(name)
    return false
  end
  local fence
  fence, problem = me:call("INCR", counter, { op = "number", lock = name })
  if problem then
    return nil, problem
  end
  return { value = value, fence = fence, asked_ms = asked_ms }
end

local ended_ms = -2                            -- how long a lease lasts that is over when it is told of

local function take(self, grant)
  local left_ms = self.lease_ms - (self.me:now() - grant.asked_ms)
  self.grant = grant
  self.me:granted(self.name, { lease = left_ms < 0 and ended_ms or left_ms, token = grant.fence })
  return true
end

-- Returns true, false; or nil and why.
function Lock:try_acquire()
  local me = self.me
  me:wants(self.name)
  local grant, problem = try_once(self, me)
  if grant then
    return take(self, grant)
  end
  me:gave_up(self.name)
  return grant, problem and evaluate.reason(problem)
end

-- ---- lock ----

-- clean(): the call asks no more.
local function stop_asking(module, call)
  for i, callback in ipairs(module.callbacks) do
    if callback == call.callback then
      table.remove(module.callbacks, i)
    end
  end
end

local function settle(call, result)
  if call.result == nil then
    call.result = result
    call.stirred:release(1)
  end
end

-- One try in a task of its own, which no task waits for.
local function attempt(self, module, call)
  self.me:spawn("attempt", function(own)
    local grant = try_once(self, own)
    if grant then
      stop_asking(module, call)
      settle(call, grant)
    end
  end, { daemon = true })
end

-- Until it is settled: a try for each message, the interval of polls, and the timer of failAfter, in the order in which
-- Node has them. Node's timers go by a clock that is never set.
local function wait(self, module, call)
  local me, poll_ms = self.me, self.poll_ms
  local next_ms, fail_ms = poll_ms and me:monotonic() + poll_ms, self.wait_ms and me:monotonic() + self.wait_ms
  while call.result == nil do
    local until_ms = next_ms and fail_ms and math.min(next_ms, fail_ms) or next_ms or fail_ms
    call.stirred:acquire(until_ms and math.max(0, until_ms - me:monotonic()))
    while call.messages > 0 do
      call.messages = call.messages - 1
      attempt(self, module, call)
    end
    if call.result == nil and next_ms and me:monotonic() >= next_ms then
      next_ms = me:monotonic() + poll_ms       -- Node counts from when the tick ran, which may be late
      attempt(self, module, call)
    end
    if call.result == nil and fail_ms and me:monotonic() >= fail_ms then
      stop_asking(module, call)
      settle(call, false)
    end
  end
end

-- lock(). Returns true; nil, "timeout" when failAfter is over, though a try that is under way then may still take the
-- lock.
function Lock:acquire()
  local me, module = self.me, module_of(self.me)
  local call = { messages = 0, stirred = me:semaphore(0) }
  me:wants(self.name)
  call.callback = { key = key_of(self.name) }
  function call.callback.wake()                -- in Node the callback asks; here the caller does, at once
    call.messages = call.messages + 1
    call.stirred:release(1)
  end
  module.callbacks[#module.callbacks + 1] = call.callback
  attempt(self, module, call)
  wait(self, module, call)
  if call.result then
    return take(self, call.result)
  end
  me:gave_up(self.name)
  return nil, "timeout"
end

-- ---- the results of lock() and tryLock() ----

-- release(). Returns true, whether it was still held or not; or nil and why.
function Lock:release()
  local me, module, grant = self.me, module_of(self.me), self.grant
  if grant.released then
    return true
  end
  local _, problem
  repeat
    if not module.loaded then
      _, problem = evaluate.load(me, release)
      if problem then
        me:released(self.name, { count = 0 })  -- its caller has left, whatever stays behind
        return nil, evaluate.reason(problem)
      end
      module.loaded = true
    end
    _, problem = me:eval(release, { key_of(self.name), channel }, { grant.value },
                         { op = "release", lock = self.name })
    module.loaded = not evaluate.unknown(problem)
  until module.loaded
  if problem then
    return nil, evaluate.reason(problem)
  end
  grant.released = true
  me:released(self.name, { count = 0 })
  return true
end

-- refreshTimeout(). Returns true, whether it was still held or not; or nil and why.
function Lock:refresh()
  local me, grant = self.me, self.grant
  if grant.released then
    return true
  end
  local value, problem = me:call("GET", key_of(self.name), { op = "look", lock = self.name })
  if problem then
    return nil, evaluate.reason(problem)
  elseif value ~= grant.value then
    grant.released = true
    return true
  end
  local _
  _, problem = me:call("PEXPIRE", key_of(self.name), self.lease_ms,
                       { op = "renew", lock = self.name, lease = self.lease_ms })
  if problem then
    return nil, evaluate.reason(problem)
  end
  return true
end

function M.view(redis, name)
  local key = key_of(name)
  local value = redis.call("TYPE", key) == "string" and redis.call("GET", key)
  return { holders = value and { [value:match("^[^/]*")] = 1 } or {}, ttl_ms = redis.call("PTTL", key),
           keys = keyspace.existing(redis, { key }) }
end

-- opts: lease_ms (30000), poll_ms (10000; false: none), wait_ms (failAfter; absent: for ever).
function M.lock(me, name, opts)
  me:observe(name, M)
  opts = opts or {}
  local poll_ms = opts.poll_ms or (opts.poll_ms == nil and 10000) or nil
  return setmetatable({ me = me, name = name, lease_ms = opts.lease_ms or 30000, poll_ms = poll_ms,
                        wait_ms = opts.wait_ms,
                        grant = { released = true } }, Lock)
end

return M
