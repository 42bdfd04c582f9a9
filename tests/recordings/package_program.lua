-- package_program.lua: the program of a trace of a package's client (clients/README.md), for clients.c: each thread
-- takes its steps at their times, or right after the step before, and logs "@call ..." and "@told ...".
-- packages/libraries.js does the same with the packages.
local multi_semaphore = require "redis_semaphore.multi_semaphore"
local mutex = require "redis_semaphore.mutex"
local over = require "redis_semaphore.over"
local pylock = require "redis_py.lock"
local redlock = require "node_redlock.redlock"
local redis_lock = require "redis_lock.lock"
local semaphore = require "redis_semaphore.semaphore"
local simple = require "simple_redis_mutex.lock"
local warlock = require "node_redis_warlock.warlock"

-- A step's words as a driver's options.
local function options(step, names)
  local opts = {}
  for to, word in pairs(names) do
    opts[to] = step[word]
  end
  return opts
end

-- The object of a thread that a step names, made when it is first named.
local function object_of(objects, step, make)
  local key = step.kind .. ":" .. step.name
  objects[key] = objects[key] or make()
  return objects[key]
end

-- What a call tells: its result, or why there is none.
local function told(got, why)
  if got == nil then
    return why
  end
  return tostring(got)
end

-- Of calls that return nothing.
local function done(got, why)
  return got and "returned" or why or "refused"
end

local kinds = {}

function kinds.redlock(me, objects, step, settings)
  local lock = object_of(objects, step, function() return redlock.over(settings.servers).lock(me, step.name) end)
  local opts = options(step, { lease_ms = "lease", retries = "retries", retry_ms = "delay", jitter_ms = "jitter",
                               threshold_ms = "threshold" })
  lock.opts = setmetatable(opts, getmetatable(lock.opts))
  if step.call == "acquire" then
    return done(lock:acquire())
  elseif step.call == "release" then
    return done(lock:release())
  elseif step.call == "extend" then
    return done(lock:extend())
  end
  return told(lock:using(function(signal)
    signal.on_abort = function() me:log("@" .. me.thread .. " told aborted") end
    me:sleep(step.work)
    return signal.aborted and "aborted" or "done"
  end))
end

-- ---- redis-semaphore ----

local pools = {
  mutex = function() return mutex end,
  semaphore = function(pool) return semaphore.of(pool) end,
  multi = function(pool) return multi_semaphore.of(pool) end,
  rmutex = function(pool, servers) return over.mutex(servers, pool) end,
  rsemaphore = function(pool, servers) return over.semaphore(servers, pool) end,
  rmulti = function(pool, servers) return over.multi_semaphore(servers, pool) end,
}

local function semaphore_kind(me, objects, step, settings)
  local lock = object_of(objects, step, function()
    local pool = options(step, { permits = "limit", take = "permits", lease_ms = "lease" })
    local opts = options(step, { lease_ms = "lease", wait_ms = "wait", retry_ms = "delay", refresh_ms = "refresh",
                                 tries = "attempts" })
    opts.on_lost = function() me:log("@" .. me.thread .. " told lost") end
    return pools[step.kind](pool, settings.servers).lock(me, step.name, opts)
  end)
  if step.call == "acquire" then
    return done(lock:acquire())
  elseif step.call == "tryAcquire" then
    return told(lock:acquire())
  end
  local _, why = lock:release()
  return (why == nil or why == "not owner") and "returned" or why
end

for kind in pairs(pools) do
  kinds[kind] = semaphore_kind
end

-- ---- redis-py ----

function kinds.pylock(me, objects, step)
  local lock = object_of(objects, step, function()
    return pylock.lock(me, step.name, { lease_ms = step.lease or false, retry_ms = step.delay,
                                        retries = step.retries })
  end)
  if step.call == "acquire" then
    local got, why
    if step.wait then
      got, why = lock:try_acquire(step.wait)
    else
      got, why = lock:acquire()
    end
    return got and "returned" or told(got, why)
  elseif step.call == "tryAcquire" then
    return told(lock:try_acquire())
  elseif step.call == "locked" or step.call == "owned" then
    return told(lock[step.call](lock))
  elseif step.call == "extend" then
    return done(lock:extend(step.n, step.replace ~= nil))
  end
  return done(lock[step.call](lock))
end

-- ---- simple-redis-mutex ----

function kinds.srm(me, objects, step)
  local lock = object_of(objects, step, function() return simple.lock(me, step.name) end)
  lock.lease_ms, lock.wait_ms, lock.poll_ms = step.lease or lock.lease_ms, step.wait, step.poll or lock.poll_ms
  if step.call == "lock" then
    return done(lock:acquire())
  elseif step.call == "tryLock" then
    return told(lock:try_acquire())
  elseif step.call == "token" then
    return tostring(lock.grant.fence)
  elseif step.call == "refresh" then
    return done(lock:refresh())
  end
  return done(lock:release())
end

-- ---- redis-lock ----

function kinds.rl(me, objects, step)
  local lock = object_of(objects, step, function()
    return redis_lock.lock(me, step.name, options(step, { lease_ms = "lease", retry_ms = "delay" }))
  end)
  return done(lock[step.call == "lock" and "acquire" or "release"](lock))
end

-- ---- node-redis-warlock ----

function kinds.wl(me, objects, step)
  local lock = object_of(objects, step, function() return warlock.lock(me, step.name) end)
  if step.call == "touch" then
    return told(lock:touch(step.lease))
  elseif step.call == "unlock" then
    local got, why = lock:release()
    return told(got or (why == "not owner" and "false" or nil), why)
  end
  lock.lease_ms, lock.tries, lock.retry_ms = step.lease, step.tries, step.wait
  if step.call == "lock" then
    return told(lock:try_acquire())
  end
  local got, why = lock:acquire()
  return got and "true" or why or "refused"
end

local function wait_until(me, at_ms)
  while me:now() < at_ms do
    me:sleep(at_ms - me:now())
  end
end

-- settings: servers, end_ms; threads: of each client, a list of steps { at, call, kind, name, ... } or commands { at,
-- words }.
return function(settings, threads)
  return function(me)
    local began_ms, objects = me:now(), {}
    me:step()
    for _, step in ipairs(threads[me.client][me.thread]) do
      wait_until(me, began_ms + step.at)
      if step.words then
        me:call(unpack(step.words))
      else
        me:log("@" .. me.thread .. " call " .. step.call .. " " .. step.kind .. ":" .. step.name)
        me:log("@" .. me.thread .. " told " .. kinds[step.kind](me, objects, step, settings))
      end
    end
    wait_until(me, began_ms + settings.end_ms + 1)
  end
end
