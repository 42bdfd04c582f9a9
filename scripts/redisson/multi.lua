-- multi.lua: Redisson's multi-lock and RedLock: several locks, each perhaps at a server of its own, taken and released
-- as one. They have no scripts of their own. The multi-lock wants all of them; RedLock (red_lock.lua) is content with
-- a majority, and computes no validity.
local flags = require "redisson.client.flag"
local give_back = require "redisson.multi.give_back"
local holds = require "holds"
local inner_lease = require "redisson.multi.inner_lease"
local keep = require "redisson.multi.keep"
local rounds = require "redisson.multi.rounds"
local try_one = require "redisson.multi.try_one"
local unlock = require "redisson.multi.unlock"
local view = require "redisson.multi.view"

local M = {}

local Group = {}
Group.__index = Group

-- Tries without a wait for an answer follow each other as fast as the thread can send, thousands in a second. Here
-- they are fewer: each does what the one before it did.
local try_each_ms = 500

-- Takes the locks in order; wait and lease in milliseconds, at most 0: none. When too many refuse, all are given back;
-- with a wait it begins again, until the time is up. asked: the lease that the caller named. flag: the thread's
-- interrupt flag; once it is set, each try is sent and counts as refused, whatever comes of it. Returns true, and of a
-- lease what is left; false; or nil and why, where a lease could not be set: the locks stay until theirs end.
local function try_all(self, wait, lease, asked, flag)
  local me, locks, tolerated = self.me, self.locks, self.tolerated
  -- without a wait the time that it took does not matter
  local left_ms, from_ms = wait > 0 and wait or -1, wait > 0 and me:now()
  local await = math.min(self.patience(left_ms, #locks), left_ms)
  local each_ms = inner_lease(wait, lease)
  local acquired, failures, i = {}, tolerated, 1
  while i <= #locks do
    local got
    if wait <= 0 and lease <= 0 then
      got = try_one(locks[i], flag)
    else
      got = try_one(locks[i], flag, math.min(await, left_ms), each_ms, each_ms and math.min(each_ms, asked))
    end
    i = i + 1
    if got then
      acquired[#acquired + 1] = locks[i - 1]
    elseif #locks - #acquired == tolerated then
      break
    elseif failures == 0 then
      give_back(acquired, flag)
      if wait <= 0 then
        return false
      end
      if flag.set then
        me:sleep(try_each_ms)
      end
      acquired, failures, i = {}, tolerated, 1
    else
      failures = failures - 1
    end
    if left_ms > 0 then
      left_ms = left_ms - (me:now() - from_ms)
      from_ms = me:now()
      if left_ms <= 0 then
        give_back(acquired, flag)
        return false
      end
    end
  end
  if lease <= 0 then
    return true
  end
  local left, lasts_ms = keep(acquired, lease, asked, flag)
  if left == false then
    give_back(acquired, flag)
  end
  return left, lasts_ms
end

local function held(self, lasts_ms)
  self.me:granted(self.name, { lease = lasts_ms, count = holds.add(self.me, self.name) })
  return true
end

-- tryLock(wait, lease, unit); without wait and lease one attempt. Returns true or false; or nil and why.
function Group:try_acquire(wait, lease, unit_ms)
  local unit = unit_ms or 1
  wait, lease = (wait or -1) * unit, (lease or -1) * unit
  self.me:wants(self.name)
  local got, lasts_ms = try_all(self, wait, lease, lease, flags.new())
  if got then
    return held(self, lasts_ms)
  end
  if got == false then
    self.me:refused(self.name)
  end
  self.me:gave_up(self.name)
  return got, lasts_ms
end

-- How long a round of lock() waits.
local function round_ms(self, lease)
  local base_ms = 1500 * #self.locks
  if lease <= 0 then
    return base_ms
  elseif lease <= base_ms then
    return self.me:random { math.floor(lease / 2), math.max(lease - 1, 1) }
  end
  return self.me:random { base_ms, lease - 1 }
end

-- lock(lease, unit): one round after the other until all are taken; an interrupt ends none of them. Returns true; or
-- nil and why.
function Group:acquire(lease, unit_ms)
  local unit = unit_ms or 1
  local asked_ms, next_lease, flag = (lease or -1) * unit, rounds(lease or -1, unit), flags.new()
  self.me:wants(self.name)
  while true do
    local lease_ms = next_lease()
    local got, lasts_ms = try_all(self, round_ms(self, lease_ms), lease_ms, asked_ms, flag)
    if got then
      return held(self, lasts_ms)
    elseif got == nil then
      self.me:gave_up(self.name)
      return nil, lasts_ms
    end
    self.me:refused(self.name)
  end
end

-- unlock(). Returns true; or nil and why, where the group is strict and a lock said no.
function Group:release()
  self.me:released(self.name, { count = holds.drop(self.me, self.name), ahead = true })
  return unlock(self.locks, self.strict)
end

-- The handle for all servers of the locks: a lock of theirs together is one lock.
local function at_all(me, locks)
  local servers = {}
  for i, lock in ipairs(locks) do
    servers[i] = lock.me.server
  end
  return me:on(unpack(servers))
end

-- The group `name` of lock objects. kind: { tolerated(n), how many of n locks may refuse; patience(left_ms, n), how
-- long one lock may take of what is left; strict, whether unlock stops at the first lock that says no }.
function M.group(task, name, locks, kind)
  local me, tolerated = at_all(task, locks), kind.tolerated(#locks)
  me:observe(name, { spec = "reentrant", runtime = "threads", view = view(locks, #locks - tolerated) })
  return setmetatable({ me = me, name = name, locks = locks, tolerated = tolerated, patience = kind.patience,
                        strict = kind.strict }, Group)
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
