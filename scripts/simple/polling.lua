-- polling.lua: the client's side of seed 002's two locks. The seed prints only the scripts and says nothing about
-- waiting, so a refused client does the plain thing: it sleeps and asks again. Nothing wakes it, nothing renews its
-- lease.
local evaluate = require "evaluate"
local holds = require "holds"
local retry = require "retry"

local M = {}

local Lock = {}
Lock.__index = Lock
retry.add(Lock)

-- The lease as a length in milliseconds: nil for a lock that never expires, or whose lease_s is no whole number of
-- seconds.
local function lease_ms(self)
  local lease_s = tonumber(self.opts.lease_s)
  if lease_s ~= nil and lease_s > 0 and lease_s % 1 == 0 then
    return lease_s * 1000
  end
  return nil
end

-- One run of the acquire script: true, false; or nil and why.
function Lock:attempt()
  local me, name = self.me, self.name
  local reply, problem = evaluate.eval(me, self.kind.acquire, { name }, { me.id, self.opts.lease_s or 0 },
                                       { op = "acquire", lock = name, lease = lease_ms(self) })
  if problem then
    me:gave_up(name)
    return nil, evaluate.reason(problem)
  end
  if reply == 1 then
    if not self.kind.counts then
      holds.clear(me, name)                    -- an earlier hold whose release was never answered has ended by now
    end
    me:granted(name, { lease = lease_ms(self), count = holds.add(me, name) })
    return true
  end
  me:refused(name)
  return false
end

function Lock:pause_ms()
  return self.opts.retry_ms or 100
end

-- Returns true when the lock is free, false while holds remain; nil, "not owner"; or nil and why no answer came.
-- The scripts answer only "yours" or "not yours": how many holds remain is the client's own count.
function Lock:release()
  local me, name = self.me, self.name
  local reply, problem = evaluate.eval(me, self.kind.release, { name }, { me.id }, { op = "release", lock = name })
  if problem then
    return nil, evaluate.reason(problem)
  end
  if reply == 0 then
    holds.clear(me, name)
    me:lost(name)
    return nil, "not owner"
  end
  local left = self.kind.counts and holds.drop(me, name) or 0
  if left == 0 then
    holds.clear(me, name)
  end
  me:released(name, { count = left })
  return left == 0
end

-- The seed has no forced release: the key is deleted instead.
function Lock:force_release()
  local me, name = self.me, self.name
  local deleted, problem = me:send("DEL", { name }, {}, { op = "force_release", lock = name }):wait()
  if problem then
    return nil, evaluate.reason(problem)
  end
  if holds.count(me, name) > 0 then
    holds.clear(me, name)
    me:released(name, { count = 0 })
  end
  return deleted == 1
end

-- The `lock` of a driver. kind: { acquire, release, counts = whether the lock may be taken again by its owner }.
function M.constructor(driver, kind)
  -- opts: lease_s, the lease in whole seconds (without it the lock never expires); retry_ms, how long a refused client
  -- sleeps (100).
  return function(me, name, opts)
    me:observe(name, driver)
    return setmetatable({ me = me, name = name, kind = kind, opts = opts or {} }, Lock)
  end
end

return M
