-- Two threads of a process change places once, wherever the library's own code lets them: before each access to memory
-- that both reach, and not within what is one atomic call upstream (the drivers name it). No shipped lock breaks by
-- that. redisson/red_lock is redisson/multi's code, and its graph, of three locks, is too large. Threads of redlock
-- share no memory.
local faster_multi = require "redisson.faster_multi"
local fair = require "redisson.fair"
local fenced = require "redisson.fenced"
local group = require "redisson.multi"
local latch = require "redisson.latch"
local non_reentrant = require "redisson.non_reentrant"
local permits = require "redisson.permits"
local read_write = require "redisson.read_write"
local redis_py = require "redis_py.lock"
local redisson = require "redisson.lock"
local semaphore = require "redisson.semaphore"
local why = require "why"

local name = "order:42"

-- Each thread: take the lock, work inside, give it back.
local function threads(new, more)
  local case = more or {}
  case["program"] = function(me)
    local lock = new(me)
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end
  return case
end

-- A lock whose driver takes these options.
local function plain(module, options)
  return function(me)
    return module.lock(me, name, options)
  end
end

-- Each asks once, and does not wait.
local function once(new)
  return { program = function(me)
    local lock = new(me)
    if lock:try_acquire() then
      lock:release()
    end
  end }
end

local function new_semaphore(me)
  local pool = semaphore.semaphore(me, "pool", { permits = 1 })
  pool:try_set_permits()
  return pool
end

local function use_permit(me)
  local pool = permits.semaphore(me, "pool", { permits = 1, lease_ms = 1000 })
  pool:try_set_permits()
  local permit = pool:acquire()
  if permit then
    me:work(100)
    pool:release(permit)
  end
end

-- Two threads wait for what another process opens, just before they park or after.
local function await(me)
  local gate = latch.latch(me, "gate")
  if me.client == "A" then
    gate:await()
  else
    gate:try_set_count(1)
    gate:count_down()
  end
end

-- B is interrupted while it waits for a token beside A, just as its SUBSCRIBE is confirmed.
local function interrupted(me)
  if me.client == "A" then
    fenced.without_token(me, name, { lease_ms = 1000 }):acquire()
    return
  end
  local lock = fenced.lock(me, name)
  if lock:acquire() then
    lock:release()
  end
end

local undeclared = { script_health = why.breaks "The readers' timeout keys are not among the scripts' KEYS." }

return {
  title   = "fault preempt: threads of a process change places",
  clients = { { "A", threads = 2, start_ms = 0 } },
  faults  = { preempt = 1 },
  must_see = { "preempt" },
  cases   = {
    redis_py           = threads(plain(redis_py, { lease_ms = 2000 })),
    redisson_fair      = once(plain(fair)),
    redisson_faster_multi = threads(function(me)
      return faster_multi.lock(me, "accounts", { "1", "2" })
    end),
    redisson_fenced    = threads(plain(fenced)),
    redisson_fenced_interrupted = {
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } }, program = interrupted,
      faults  = { interrupt = { 1, of = "B", op = "subscribe" }, preempt = { 1, of = "B" } },
      must_see = { "preempt", "interrupt" },
    },
    redisson_latch     = {
      clients = { { "A", threads = 2, start_ms = 0 }, { "B", start_ms = 0 } }, program = await,
      must_see = { "preempt", "wait" },
    },
    redisson_lock      = threads(plain(redisson)),
    redisson_multi     = once(function(me)
      return group.lock(me, "X alone", { redisson.lock(me, "X") })
    end),
    redisson_non_reentrant = threads(plain(non_reentrant)),
    redisson_permits   = { program = use_permit },
    redisson_read      = threads(function(me)
      return read_write.read(me, name)
    end, { expect = undeclared }),
    redisson_read_write = threads(function(me)
      return read_write[me.thread == 1 and "read" or "write"](me, name)
    end, { expect = undeclared }),
    redisson_semaphore = threads(new_semaphore),
    redisson_write     = threads(function(me)
      return read_write.write(me, name)
    end),
  },
}
