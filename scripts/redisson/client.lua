-- client.lua: the client's side that Redisson's plain and fair locks share: lock, tryLock, unlock and forceUnlock, step by step.
-- A family (lock.lua, fair.lua, fair_3_13.lua) says what is sent; this file says when, and what follows from each answer. It follows
-- Redisson 4.7.0 talking to a single server, where a lock script that was written to the socket is never sent twice.
--
-- What an answer sets off in the process (lease field, watchdog, latch) is done before the caller goes on, since he waits for a
-- future that has been through it: seed 001 prints that code. So the caller does it here himself. Only a caller that was
-- interrupted has gone on without it; then it runs as a step of its own, whenever the answer comes.
local evaluate = require "evaluate"
local holds = require "holds"
local pubsub = require "pubsub"
local names = require "redisson.names"
local watchdog = require "redisson.watchdog"

local M = {}

M.publish = "PUBLISH"                          -- SPUBLISH where the server shards its channels
M.unlock_message = 0
M.latch_ms = 20000                             -- (response time-out 3000 + retry delay 2000) * 4 attempts

local subscription_timeout_ms = 7500
local retry_attempts = 4

local Lock = {}
Lock.__index = Lock

-- An answer that is no reply, in one word: "timeout", "lost", "interrupted"; of a reply that is an error, its text.
local function reason(problem)
  if type(problem) == "string" then
    return problem
  end
  return problem.kind == "reply" and problem.message or problem.kind
end

local function options(self, op, lease_ms)
  return { op = op, lock = self.name, lease = lease_ms }
end

-- Sends a request once and waits; `callback(task, reply, problem)` does what the answer sets off. Returns reply, or nil and problem.
local function ask(self, op, lease_ms, request, callback)
  local sent = self.me:send(request.script, request.keys, request.argv, options(self, op, lease_ms))
  local reply, problem = sent:wait()
  if evaluate.unknown(problem) and evaluate.load(self.me, request.script) then
    sent = self.me:send(request.script, request.keys, request.argv, options(self, op, lease_ms))
    reply, problem = sent:wait()
  end
  if problem and reason(problem) == "interrupted" then
    sent:on_answer(callback)
    return nil, problem
  end
  callback(self.me, reply, problem)
  return reply, problem
end

-- Sends a request again while no answer comes: force-unlock and abandon, which may run twice without harm.
local function ask_until_answered(self, op, request)
  local me = self.me
  local again = options(self, op)
  again.resend = true
  local reply, problem
  for attempt = 0, retry_attempts do
    if attempt > 0 then
      local delay_ms = math.min(1000 * 2 ^ (attempt - 1), 2000)
      me:sleep(me:choose { delay_ms / 2, delay_ms })
    end
    reply, problem = evaluate.eval(me, request.script, request.keys, request.argv, again)
    if problem == nil or problem.kind == "reply" or problem.kind == "interrupted" then
      break
    end
  end
  return reply, problem
end

-- One run of the acquire script. Returns nil when the lock is ours, the milliseconds to wait, or nil and a problem.
-- Without a lease the script gets what this lock object's lease field holds: a lease given earlier leaks into it (release resets it).
local function attempt(self, request_of, wait_ms, lease_ms)
  local object, name, owner = self.object, self.name, self.me.id
  local ttl_ms = lease_ms or object.lease_ms
  return ask(self, "acquire", ttl_ms, request_of(self, ttl_ms, wait_ms, lease_ms), function(task, reply, problem)
    if reply ~= nil or problem ~= nil then
      return
    end
    if lease_ms then
      object.lease_ms = lease_ms
    else
      watchdog.add(task, name, owner)
    end
  end)
end

local function held(self, lease_ms)
  self.me:granted(self.name, { lease = lease_ms, count = holds.add(self.me, self.name) })
  return true
end

-- An exception: the caller gets nothing, and no abandon is sent. The lock may be ours in Redis until its lease ends.
local function failed(self, problem)
  self.me:gave_up(self.name)
  return nil, reason(problem)
end

-- A wait that failed: a fair lock is told to forget us.
local function abandoned(self, wait_ms)
  if self.family.abandon then
    ask_until_answered(self, "abandon", self.family.abandon(self, wait_ms))
  end
  self.me:gave_up(self.name)
  return false
end

local function subscribe(self, wait_ms)
  local family = self.family
  return pubsub.subscribe(self.me, family.entry(self), family.channel(self), wait_ms)
end

-- Parks until a message's permit, ttl_ms at most; below 0 (the key never expires, or has just gone) without limit.
local function park(entry, ttl_ms)
  if ttl_ms < 0 then
    return entry.latch:acquire()
  end
  return entry.latch:acquire(ttl_ms)
end

-- lock() and, with opts.interruptibly, lockInterruptibly(). opts.lease_ms: the lease; without one the watchdog keeps the lock.
-- Returns true; or nil and why.
function Lock:acquire(opts)
  local me, name, family = self.me, self.name, self.family
  local lease_ms = opts and opts.lease_ms or self.lease_ms
  me:wants(name)
  local ttl_ms, problem = attempt(self, family.acquire, -1, lease_ms)
  if problem then
    return failed(self, problem)
  end
  if ttl_ms == nil then
    return held(self, lease_ms)
  end
  me:refused(name)

  local entry, unsubscribed = subscribe(self, subscription_timeout_ms)
  if entry == nil then
    return failed(self, unsubscribed)
  end
  while true do
    -- Between the first answer and the subscription the lock may have been freed, unheard: so ask again before parking.
    ttl_ms, problem = attempt(self, family.acquire, -1, lease_ms)
    if problem or ttl_ms == nil then
      pubsub.unsubscribe(me, entry)
      if problem then
        return failed(self, problem)
      end
      return held(self, lease_ms)
    end
    me:refused(name)
    local _, interrupted = park(entry, ttl_ms)
    if interrupted and opts and opts.interruptibly then
      pubsub.unsubscribe(me, entry)
      return failed(self, interrupted)
    elseif interrupted then
      park(entry, ttl_ms)                      -- lock() swallows it and waits the whole time again
    end
  end
end

-- tryLock(wait, lease); without wait_ms tryLock(): one attempt that neither waits nor queues.
-- Returns true, false when the time is up, or nil and why.
function Lock:try_acquire(wait_ms, lease_ms)
  local me, name, family = self.me, self.name, self.family
  lease_ms = lease_ms or self.lease_ms
  me:wants(name)
  if wait_ms == nil then
    local refused, trouble = attempt(self, family.try_once, -1, lease_ms)
    if trouble then
      return failed(self, trouble)
    end
    if refused == nil then
      return held(self, lease_ms)
    end
    me:refused(name)
    me:gave_up(name)
    return false
  end

  local until_ms = me:now() + wait_ms
  local ttl_ms, problem = attempt(self, family.acquire, wait_ms, lease_ms)
  if problem then
    return failed(self, problem)
  end
  if ttl_ms == nil then
    return held(self, lease_ms)
  end
  me:refused(name)
  if me:now() >= until_ms then
    return abandoned(self, wait_ms)
  end

  local entry = subscribe(self, until_ms - me:now())
  if entry == nil then
    return abandoned(self, wait_ms)
  end
  while me:now() < until_ms do
    ttl_ms, problem = attempt(self, family.acquire, wait_ms, lease_ms)
    if ttl_ms == nil and problem == nil then
      pubsub.unsubscribe(me, entry)
      return held(self, lease_ms)
    end
    if problem and problem.kind == "timeout" then
      break                                    -- since 4.7.0: no answer counts as a wait that failed
    elseif problem then
      pubsub.unsubscribe(me, entry)
      return failed(self, problem)
    end
    me:refused(name)
    local left_ms = until_ms - me:now()
    if left_ms <= 0 then
      break
    end
    local _, interrupted = park(entry, ttl_ms >= 0 and math.min(ttl_ms, left_ms) or left_ms)
    if interrupted then
      pubsub.unsubscribe(me, entry)
      return failed(self, interrupted)
    end
  end
  pubsub.unsubscribe(me, entry)
  return abandoned(self, wait_ms)
end

-- unlock(). Returns true when the lock is free, false while holds remain; nil, "not owner"; or nil and why no answer came.
-- Each release has a number of its own in its latch key; once it is answered, the latch is deleted without waiting for that.
function Lock:release()
  local me, name, object, family = self.me, self.name, self.object, self.family
  local owner = me.id
  local latch = family.latched and names.latch(name, me:unique("request")) or nil
  local reply, problem = ask(self, "release", nil, family.release(self, latch), function(task, answer, failure)
    if failure == nil and latch then
      task:send("DEL", { latch }, {}, { op = "clear_latch", lock = name })
    end
    watchdog.cancel(task, name, owner)
    if failure == nil and answer ~= 0 then
      object.lease_ms = watchdog.timeout_ms
    end
  end)
  if problem then
    return nil, reason(problem)
  end
  if reply == nil then
    holds.clear(me, name)
    me:lost(name)
    return nil, "not owner"
  end
  local left = holds.drop(me, name)
  if reply == 0 then
    me:released(name, { count = math.max(left, 1) })
    return false
  end
  holds.clear(me, name)
  me:released(name, { count = 0 })
  return true
end

-- forceUnlock(): whoever holds it. Returns true if there was a lock, else false; or nil and why.
function Lock:force_release()
  local me, name = self.me, self.name
  watchdog.cancel(me, name)
  local reply, problem = ask_until_answered(self, "force_release", self.family.force_release(self))
  if problem then
    return nil, reason(problem)
  end
  self.object.lease_ms = watchdog.timeout_ms
  if holds.count(me, name) > 0 then
    holds.clear(me, name)
    me:released(name, { count = 0 })
  end
  return reply == 1
end

-- The same lock object in the hands of another task: Redisson's objects may be shared by threads, and so is their lease field.
function Lock:in_task(me)
  return setmetatable({ me = me, name = self.name, lease_ms = self.lease_ms, family = self.family, object = self.object,
                        opts = self.opts }, Lock)
end

-- The `lock` of a driver. family: { latched, acquire, try_once, release, force_release, abandon, entry, channel }: the functions are
-- given the lock object and say what to send, as { script, keys, argv }, or by which entry and channel to wait.
function M.constructor(driver, family)
  -- opts: lease_ms, the lease of each acquire that names none (without one the watchdog keeps the lock); others are the family's.
  return function(me, name, opts)
    me:observe(name, driver)
    return setmetatable({ me = me, name = name, lease_ms = opts and opts.lease_ms, family = family,
                          object = { lease_ms = watchdog.timeout_ms }, opts = opts or {} }, Lock)
  end
end

return M
