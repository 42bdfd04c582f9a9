-- client.lua: the client's side of seed 004's locks, completed in the plainest way: ask; if refused, subscribe, ask
-- again, and wait for the message, one lease of the waiter's own at most (a holder that died sends none), then ask
-- again. A lock is held for 30 s and kept by the watchdog until released, unless the caller names a lease.
local evaluate = require "evaluate"
local holds = require "holds"
local pubsub = require "pubsub"
local watchdog = require "notes.watchdog"

local M = {}

local Lock = {}
Lock.__index = Lock

local function reason(problem)
  if type(problem) == "string" then
    return problem
  end
  return problem.kind == "reply" and problem.message or problem.kind
end

-- One run of the acquire script: true, false; or nil and why.
local function attempt(self, lease_ms)
  local me, name = self.me, self.name
  local sent_ms = lease_ms or watchdog.lease_ms
  local request = self.kind.acquire(self, sent_ms)
  local reply, problem = evaluate.eval(me, request.script, request.keys, request.argv,
                                       { op = "acquire", lock = name, lease = sent_ms })
  if problem then
    me:gave_up(name)
    return nil, reason(problem)
  end
  if reply ~= 1 then
    me:refused(name)
    return false
  end
  if not lease_ms then
    watchdog.start(me, name)
  end
  me:granted(name, { lease = lease_ms, count = holds.add(me, name) })
  return true
end

-- A waiter that gives up; the fair lock leaves its queue.
local function gave_up(self)
  local me, name, kind = self.me, self.name, self.kind
  if kind.leave then
    local request = kind.leave(self)
    -- locksim: allow LC001 the caller gives up whatever comes; its place in the queue ends with its deadline
    evaluate.eval(me, request.script, request.keys, request.argv, { op = "abandon", lock = name })
  end
  me:gave_up(name)
  return false
end

-- Asks, and waits between askings, until `until_ms` (nil: for ever).
local function wait_for(self, lease_ms, until_ms)
  local me, kind = self.me, self.kind
  local got, why = attempt(self, lease_ms)
  if got ~= false then
    return got, why
  end
  local channel = kind.channel(self.name)
  local entry, problem = pubsub.subscribe(me, channel, channel, watchdog.lease_ms, kind.on_message)
  if entry == nil then
    gave_up(self)
    return nil, problem
  end
  local bell = kind.bell and kind.bell(self, entry) or entry.latch
  while true do
    got, why = attempt(self, lease_ms)
    if got ~= false then
      pubsub.unsubscribe(me, entry)
      return got, why
    end
    local wait_ms = lease_ms or watchdog.lease_ms
    if until_ms then
      wait_ms = math.min(wait_ms, until_ms - me:now())
    end
    if wait_ms <= 0 then
      pubsub.unsubscribe(me, entry)
      return gave_up(self)
    end
    bell:acquire(wait_ms)
  end
end

-- opts.lease_ms: the lease; without one the watchdog keeps the lock. Returns true; or nil and why.
function Lock:acquire(opts)
  self.me:wants(self.name)
  return wait_for(self, opts and opts.lease_ms or self.lease_ms)
end

-- Waits wait_ms at most; without it, asks once. Returns true, false when the time is up, or nil and why.
function Lock:try_acquire(wait_ms, lease_ms)
  local me = self.me
  lease_ms = lease_ms or self.lease_ms
  me:wants(self.name)
  if wait_ms ~= nil and wait_ms > 0 then
    return wait_for(self, lease_ms, me:now() + wait_ms)
  end
  local got, why = attempt(self, lease_ms)
  if got == false then
    return gave_up(self)
  end
  return got, why
end

-- Returns true when the lock is free, false while holds remain; nil, "not owner"; or nil and why no answer came.
-- The reentrant lock's script does not say how many holds remain: that is the client's own count.
function Lock:release()
  local me, name = self.me, self.name
  local request = self.kind.release(self, self.lease_ms or watchdog.lease_ms)
  local left = holds.drop(me, name)
  if left == 0 then
    watchdog.stop(me, name)
  end
  local reply, problem = evaluate.eval(me, request.script, request.keys, request.argv, { op = "release", lock = name })
  if problem then
    return nil, reason(problem)
  end
  if reply == nil then
    holds.clear(me, name)
    watchdog.stop(me, name)
    me:lost(name)
    return nil, "not owner"
  end
  me:released(name, { count = left })
  return left == 0
end

-- The seed has no forced release: the keys are deleted instead.
function Lock:force_release()
  local me, name = self.me, self.name
  watchdog.stop(me, name)
  local deleted, problem = me:send("DEL", { name }, {}, { op = "force_release", lock = name }):wait()
  if problem then
    return nil, reason(problem)
  end
  if holds.count(me, name) > 0 then
    holds.clear(me, name)
    me:released(name, { count = 0 })
  end
  return deleted == 1
end

-- The `lock` of a driver. kind: { acquire, release, leave, channel, on_message, bell }: the first three say what to
-- send, as { script, keys, argv }; the others how to be woken.
function M.constructor(driver, kind)
  -- opts.lease_ms: the lease of each acquire that names none (without one the watchdog keeps the lock).
  return function(me, name, opts)
    me:observe(name, driver)
    return setmetatable({ me = me, name = name, kind = kind, lease_ms = opts and opts.lease_ms }, Lock)
  end
end

return M
