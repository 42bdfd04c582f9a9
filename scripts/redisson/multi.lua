-- multi.lua: Redisson's multi-lock and RedLock: several locks, each perhaps at a server of its own, taken and released as one. They have no
-- scripts of their own. The multi-lock wants all of them; RedLock (red_lock.lua) is content with a majority, and computes no validity.
local holds = require "holds"
local inner_lease = require "redisson.multi.inner_lease"
local rounds = require "redisson.multi.rounds"
local view = require "redisson.multi.view"

local M = {}

local Group = {}
Group.__index = Group

local function unlock_all(locks)
  for i = 1, #locks do
    locks[i]:release()
  end
end

-- tryLock of one lock of the group: true or false. After no answer it is unlocked, for the script may have run.
local function try_one(lock, await, lease_ms, counted_ms)
  local got, why = lock:try_acquire(await, lease_ms, counted_ms)
  if got == nil and why == "timeout" then
    lock:release()
  end
  return got == true
end

-- The lease that counts: each lock was taken with another. Whether it could be set is not looked at. asked_ms is what the caller wants.
local function set_lease(locks, lease_ms, asked_ms)
  local sent = {}
  for i, lock in ipairs(locks) do
    sent[i] = lock.me:send("PEXPIRE", { lock.name }, { lease_ms }, { op = "renew", lock = lock.name, lease = asked_ms })
  end
  for i = 1, #sent do
    sent[i]:wait()
  end
end

-- Takes the locks in order; wait and lease in milliseconds, at most 0: none. When too many refuse, all are given back; with a wait it
-- begins again, until the time is up. asked: the lease that the caller named. Returns true or false.
local function try_all(self, wait, lease, asked)
  local me, locks, tolerated = self.me, self.locks, self.tolerated
  local left_ms, from_ms = wait > 0 and wait or -1, wait > 0 and me:now()      -- without a wait nobody asks how long it took
  local await = math.min(self.patience(left_ms, #locks), left_ms)
  local each_ms = inner_lease(wait, lease)
  local acquired, failures, i = {}, tolerated, 1
  while i <= #locks do
    local got
    if wait <= 0 and lease <= 0 then
      got = try_one(locks[i])
    else
      got = try_one(locks[i], math.min(await, left_ms), each_ms, each_ms and math.min(each_ms, asked))
    end
    i = i + 1
    if got then
      acquired[#acquired + 1] = locks[i - 1]
    elseif #locks - #acquired == tolerated then
      break
    elseif failures == 0 then
      unlock_all(acquired)
      if wait <= 0 then
        return false
      end
      acquired, failures, i = {}, tolerated, 1
    else
      failures = failures - 1
    end
    if left_ms > 0 then
      left_ms = left_ms - (me:now() - from_ms)
      from_ms = me:now()
      if left_ms <= 0 then
        unlock_all(acquired)
        return false
      end
    end
  end
  if lease > 0 then
    set_lease(acquired, lease, asked)
  end
  return true
end

local function held(self, lease)
  self.me:granted(self.name, { lease = lease > 0 and lease or nil, count = holds.add(self.me, self.name) })
  return true
end

-- tryLock(wait, lease, unit); without wait and lease one attempt. Returns true or false.
function Group:try_acquire(wait, lease, unit_ms)
  local unit = unit_ms or 1
  wait, lease = (wait or -1) * unit, (lease or -1) * unit
  self.me:wants(self.name)
  if try_all(self, wait, lease, lease) then
    return held(self, lease)
  end
  self.me:refused(self.name)
  self.me:gave_up(self.name)
  return false
end

-- How long a round of lock() waits.
local function round_ms(self, lease)
  local base_ms = 1500 * #self.locks
  if lease <= 0 then
    return base_ms
  elseif lease <= 2000 then
    return 2000
  elseif lease <= base_ms then
    return self.me:choose { math.floor(lease / 2), lease }
  end
  return self.me:choose { base_ms, lease }
end

-- lock(lease, unit): one round after the other until all are taken. Returns true.
function Group:acquire(lease, unit_ms)
  local unit = unit_ms or 1
  local asked_ms, next_lease = (lease or -1) * unit, rounds(lease or -1, unit)
  self.me:wants(self.name)
  while true do
    local lease_ms = next_lease()
    if try_all(self, round_ms(self, lease_ms), lease_ms, asked_ms) then
      return held(self, asked_ms)
    end
    self.me:refused(self.name)
  end
end

-- unlock(): the locks in order. Returns true; or nil and why, from the first lock that says no: those after it stay (strict), or are
-- unlocked all the same, and nothing is said.
function Group:release()
  self.me:released(self.name, { count = holds.drop(self.me, self.name), ahead = true })
  for _, lock in ipairs(self.locks) do
    local released, why = lock:release()
    if released == nil and self.strict then
      return nil, why
    end
  end
  return true
end

-- The group `name` of lock objects. kind: { tolerated(n), how many of n locks may refuse; patience(left_ms, n), how long one lock may take of
-- what is left; strict, whether unlock stops at the first lock that says no }.
function M.group(me, name, locks, kind)
  local tolerated = kind.tolerated(#locks)
  me:observe(name, { spec = "reentrant", view = view(locks, #locks - tolerated) })
  return setmetatable({ me = me, name = name, locks = locks, tolerated = tolerated, patience = kind.patience, strict = kind.strict }, Group)
end

-- The multi-lock: all of them, each for as long as it takes.
function M.lock(me, name, locks)
  return M.group(me, name, locks, {
    tolerated = function() return 0 end,
    patience  = function(left_ms) return left_ms end,
    strict    = true,
  })
end

return M
