-- lock.lua: Lock of the npm package redis-semaphore 5.8.0, from which all of its locks come: tries until a time or a
-- number of them is over, a refresh at intervals while it is held, and one identifier for the life of the object.
--
-- A kind of lock is a table of functions: ask(self, me), one try: whether it was granted, or nil and a problem;
-- refresh(self, me), whether it is still held; free(self, me), whether it was; and give_back(self, me), if a refused
-- try has something to give back. permits: how many one acquisition takes.
local evaluate = require "evaluate"

local M = {}

-- Node takes a delay below 1 ms for 1 ms.
local function timer_ms(ms)
  return math.max(1, ms)
end

local Lock = {}
Lock.__index = Lock

-- ---- refresh: Lock._processRefresh, at each tick of an interval ----

local function stop_refreshing(self)
  if self.interval then
    self.interval:cancel()
    self.interval = nil
  end
end

-- It ends the refreshing of whatever the object holds by then, which may be more than was asked for.
local function lose(self)
  self.held = false
  stop_refreshing(self)
  self.me:lost(self.name)
  if self.opts.on_lost then
    self.opts.on_lost()
  end
end

local function refresh(self, task)
  local still, problem = self.kind.refresh(self, task)
  self.refreshing = nil
  if still == false and problem == nil and self.held then
    lose(self)
  end
end

-- Node counts an interval from when its last tick ran, which may be late. A tick that comes while a refresh of the
-- object is under way is skipped. A refresh that fails is tried again with the next tick (in Node it is an unhandled
-- rejection, which ends the process unless the program catches those).
local function start_refreshing(self)
  self.interval = self.me:spawn("interval", function(task)
    while true do
      task:sleep(timer_ms(self.opts.refresh_ms))
      if not self.refreshing then
        self.refreshing = true
        task:spawn("refresh", function(own) refresh(self, own) end, { daemon = true })
      end
    end
  end, { daemon = true })
end

-- ---- acquire and release ----

-- Asks until it is granted. Returns true, false when the time or the tries are over, or nil and a problem.
local function ask_for(self)
  local me, opts = self.me, self.opts
  local until_ms = opts.wait_ms and me:now() + opts.wait_ms
  local tries = opts.tries
  while (until_ms == nil or me:now() < until_ms) and tries ~= 0 do
    tries = tries and tries - 1
    self.asked_ms = me:now()
    local got, problem = self.kind.ask(self, me)
    if got ~= false then
      return got, problem
    end
    me:refused(self.name)
    if self.kind.give_back then
      self.kind.give_back(self, me)
    end
    me:sleep(timer_ms(opts.retry_ms))
  end
  return false
end

local ended_ms = -2                            -- how long a lease lasts that is over when it is told of

-- The certain rest of the lease: some locks count it from when the client asked.
local function left_of_lease(self)
  local left_ms = self.opts.lease_ms - (self.me:now() - self.asked_ms)
  return left_ms < 0 and ended_ms or left_ms
end

-- Lock.acquire, and tryAcquire, which differs in telling false instead of an error. Returns true; false when the time
-- or the tries are over; or nil and why.
function Lock:acquire()
  local me, name, opts = self.me, self.name, self.opts
  me:wants(name, { count = self.kind.permits })
  local got, problem = ask_for(self)
  if not got then
    me:gave_up(name)
    if got == nil then
      return nil, evaluate.reason(problem)
    end
    return false, "timeout"
  end
  self.held = true
  local left_ms = left_of_lease(self)
  -- One over several servers may be told when its keys have run out, while it waited for all answers.
  if opts.refresh_ms > 0 and not (self.kind.servers and left_ms == ended_ms) then
    me:granted(name, { renew_ms = opts.refresh_ms, count = self.kind.permits })
  else
    me:granted(name, { lease = left_ms, count = self.kind.permits })
  end
  if opts.refresh_ms > 0 then
    start_refreshing(self)
  end
  return true
end

-- One try.
function Lock:try_acquire()
  local opts = self.opts
  self.opts = setmetatable({ tries = 1 }, { __index = opts })
  local got, why = self:acquire()
  self.opts = opts
  return got, why
end

-- Lock.release. Returns true when it was held until now; nil, "not owner" otherwise, which the package does not tell;
-- or nil and why. Without a hold nothing is sent.
function Lock:release()
  local me, name = self.me, self.name
  stop_refreshing(self)
  if not self.held then
    return nil, "not owner"
  end
  local freed, problem = self.kind.free(self, me)
  if problem then
    return nil, evaluate.reason(problem)
  end
  self.held = false
  if not freed then
    me:lost(name)
    return nil, "not owner"
  end
  me:released(name, { count = 0 })
  return true
end

-- opts: lease_ms (10000), wait_ms (10000; false: without end), tries (any number), retry_ms (10), refresh_ms (four
-- fifths of the lease; 0: none), on_lost(), called when a refresh finds that the lock is lost.
function M.new(kind, me, name, opts)
  opts = opts or {}
  local lease_ms = opts.lease_ms or 10000
  local own = {
    lease_ms = lease_ms, tries = opts.tries, retry_ms = opts.retry_ms or 10,
    refresh_ms = opts.refresh_ms or math.floor(lease_ms * 0.8 + 0.5),
    on_lost = opts.on_lost, wait_ms = opts.wait_ms or (opts.wait_ms == nil and 10000) or nil,
  }
  return setmetatable({ me = me, name = name, kind = kind, opts = own, id = me.id .. "/" .. me:unique("token") }, Lock)
end

return M
