-- trace_program.lua: the program of a client's trace (clients/README.md), for clients.c: each thread takes its steps at
-- their times, or right after the step before, and logs "@call ..." and "@told ...".
local fair = require "redisson.fair"
local faster = require "redisson.faster_multi"
local fenced = require "redisson.fenced"
local latch = require "redisson.latch"
local multi = require "redisson.multi"
local non_reentrant = require "redisson.non_reentrant"
local permits = require "redisson.permits"
local plain = require "redisson.lock"
local read_write = require "redisson.read_write"
local red_lock = require "redisson.red_lock"
local resend = require "redisson.client.resend"
local semaphore = require "redisson.semaphore"
local spin = require "redisson.spin"

local function split(text, at)
  local parts = {}
  for part in (text .. at):gmatch("(.-)%" .. at) do
    parts[#parts + 1] = part
  end
  return parts
end

-- "A@1+B@2": locks, each at its server.
local function group_of(me, name, settings)
  local locks = {}
  for i, part in ipairs(split(name, "+")) do
    local lock, server = part:match("^(.-)@(%d+)$")
    locks[i] = plain.lock(server and me:on(tonumber(server)) or me, lock or part, { replicas = settings.replicas })
  end
  return locks
end

local make = {
  lock      = function(me, name, opts) return plain.lock(me, name, opts) end,
  fair      = function(me, name, opts) return fair.lock(me, name, opts) end,
  spin      = function(me, name, opts) return spin.lock(me, name, opts) end,
  read      = function(me, name, opts) return read_write.read(me, name, opts) end,
  write     = function(me, name, opts) return read_write.write(me, name, opts) end,
  nonre     = function(me, name, opts) return non_reentrant.lock(me, name, opts) end,
  sem       = function(me, name, opts) return semaphore.semaphore(me, name, opts) end,
  permits   = function(me, name, opts) return permits.semaphore(me, name, opts) end,
  latch     = function(me, name) return latch.latch(me, name) end,
  multi     = function(me, name, opts) return multi.lock(me, name, group_of(me, name, opts)) end,
  red       = function(me, name, opts) return red_lock.lock(me, name, group_of(me, name, opts)) end,
  fast      = function(me, name, opts)
    local group, values = name:match("^(.-)/(.*)$")
    return faster.lock(me, group, split(values, ","), opts)
  end,
  fenced    = function(me, name, opts)
    local lock = { plain = fenced.without_token(me, name, opts), token = fenced.lock(me, name, opts) }
    lock.token.object = lock.plain.object      -- they are one object, with one lease field
    return lock
  end,
}

-- The lock object that a step names, and whose it is: the thread's own, or one of all threads of the client ("#x").
local function object_of(me, objects, step, settings)
  local name, shared = step.name:match("^(.-)#(.*)$")
  local key = step.kind .. ":" .. step.name
  local home = objects
  if shared then
    me.process.objects = me.process.objects or {}
    home = me.process.objects
  end
  if home[key] == nil then
    home[key] = make[step.kind](me, name or step.name, { replicas = settings.replicas })
  end
  return shared and home[key]:in_task(me) or home[key]
end

-- Java has one exception for who unlocks what is another's and who takes what is his and not reentrant.
local function reason(why)
  return why == non_reentrant.text and "not owner" or why
end

-- What a blocking call tells: "returned", or why not.
local function done(got, why)
  return got ~= nil and "returned" or reason(why)
end

local function tried(got, why)
  if got == nil then
    return reason(why)
  end
  return tostring(got)
end

local calls = {}

local function is_group(step)
  return step.kind == "multi" or step.kind == "red"
end

function calls.lock(lock, step)
  if is_group(step) then
    return done(lock:acquire(step.lease))
  end
  return done(lock:acquire { lease_ms = step.lease })
end

function calls.lockInterruptibly(lock, step)
  if is_group(step) then
    return done(lock:acquire(step.lease, nil, true))
  end
  return done(lock:acquire { lease_ms = step.lease, interruptibly = true })
end

function calls.tryLock(lock, step)
  return tried(lock:try_acquire(step.wait, step.lease))
end

function calls.unlock(lock)
  return done(lock:release())
end

function calls.forceUnlock(lock)
  return tried(lock:force_release())
end

local function token_of(lock, got, why)
  if got == nil then
    return why
  end
  return got and tostring(lock.token) or "null"
end

function calls.lockAndGetToken(lock, step)
  return token_of(lock, lock:acquire { lease_ms = step.lease })
end

function calls.tryLockAndGetToken(lock, step)
  return token_of(lock, lock:try_acquire(step.wait, step.lease))
end

function calls.getToken(lock)
  return lock:get_token()
end

function calls.trySetPermits(lock, step)
  return tried(lock:try_set_permits(step.n))
end

function calls.acquire(lock, step)
  if step.kind == "permits" then
    local permit, why = lock:acquire(step.lease)
    lock.permit = permit
    return permit or why
  end
  return done(lock:acquire(step.n))
end

function calls.tryAcquire(lock, step)
  if step.kind == "permits" then
    local permit, why = lock:try_acquire(step.wait, step.lease)
    lock.permit = permit or lock.permit
    if permit == false then
      return "null"
    end
    return permit or why
  end
  return tried(lock:try_acquire(step.wait, step.n))
end

function calls.release(lock, step)
  if step.kind == "permits" then
    return done(lock:release(lock.permit))
  end
  return done(lock:release(step.n))
end

function calls.tryRelease(lock)
  local got, why = lock:release(lock.permit)
  return got == nil and why == "not owner" and "false" or tried(got, why)
end

function calls.addPermits(lock, step)
  return done(lock:add_permits(step.n))
end

function calls.drainPermits(lock)
  return tried(lock:drain())
end

function calls.updateLeaseTime(lock, step)
  return tried(lock:update_lease(lock.permit, step.lease))
end

function calls.trySetCount(lock, step)
  return tried(lock:try_set_count(step.n))
end

function calls.countDown(lock)
  return done(lock:count_down())
end

-- A lock's is its forceUnlock (RedissonBaseLock.deleteAsync).
function calls.delete(lock, step)
  if step.kind == "latch" then
    return tried(lock:delete())
  end
  return tried(lock:force_release())
end

function calls.await(lock, step)
  if step.wait then
    return tried(lock:await(step.wait))
  end
  return done(lock:await())
end

-- ---- calls that only look: one command, which is sent again while no answer comes. No driver has them. ----

-- told(reply): what the caller gets.
local function look(lock, words, told)
  local reply, problem = resend.until_answered(lock.me, function(again)
    local all = { unpack(words) }
    all[#all + 1] = { op = "look", resend = true, again = again }
    return lock.me:call(unpack(all))
  end)
  return problem and problem.kind or told(reply)
end

local function is_one(reply)
  return tostring(reply == 1)
end

local function number_of(reply)
  return tostring(tonumber(reply) or 0)
end

local function field_of(lock, step)
  return step.kind == "write" and lock.me.id .. ":write" or lock.me.id
end

function calls.isExists(lock)
  return look(lock, { "EXISTS", lock.name }, is_one)
end

function calls.isLocked(lock, step)
  if step.kind == "write" then
    return look(lock, { "HGET", lock.name, "mode" }, function(mode) return tostring(mode == "write") end)
  end
  return calls.isExists(lock)
end

function calls.isHeldByCurrentThread(lock, step)
  return look(lock, { "HEXISTS", lock.name, field_of(lock, step) }, is_one)
end

function calls.getHoldCount(lock, step)
  return look(lock, { "HGET", lock.name, field_of(lock, step) }, number_of)
end

function calls.remainTimeToLive(lock)
  return look(lock, { "PTTL", lock.name }, number_of)
end

function calls.getCount(lock)
  return look(lock, { "GET", lock.name }, number_of)
end

calls.availablePermits = calls.getCount

local with_token = { lockAndGetToken = true, tryLockAndGetToken = true, getToken = true }

-- settings: replicas, end_ms; threads: of each client, a list of steps { at, call, kind, name, wait, lease, n } or
-- commands { at, words }.
return function(settings, threads)
  require("redisson.client").draws_each_latch = true
  return function(me)
    local began_ms = me:now()
    local objects = {}
    me:step()
    for _, step in ipairs(threads[me.client][me.thread]) do
      local wait_ms = began_ms + step.at - me:now()
      while wait_ms > 0 do
        me:sleep(wait_ms)
        wait_ms = began_ms + step.at - me:now()
      end
      if step.words then
        me:call(unpack(step.words))
      else
        me:log("@" .. me.thread .. " call " .. step.call .. " " .. step.kind .. ":" .. step.name)
        local lock = object_of(me, objects, step, settings)
        if step.kind == "fenced" then
          lock = with_token[step.call] and lock.token or lock.plain
        end
        me:log("@" .. me.thread .. " told " .. tostring(calls[step.call](lock, step)))
      end
    end
    while me:now() <= began_ms + settings.end_ms do
      me:sleep(began_ms + settings.end_ms + 1 - me:now())
    end
  end
end
