-- steps.lua: the steps that lock() and tryLock() are made of.
local answers = require "redisson.client.answers"
local holds = require "holds"
local lease = require "redisson.client.lease"
local pubsub = require "pubsub"
local transport = require "redisson.client.transport"

local M = {}

-- The milliseconds to wait, or nil, and a token, where the lock has any.
local function read(lock, reply)
  local own = lock.family.read
  if own then
    return own(reply)
  end
  return reply
end

-- The same of tryLock() without a wait, where it has a script of its own.
local function read_once(lock, reply)
  local own = lock.family.read_once or lock.family.read
  if own then
    return own(reply)
  end
  return reply
end

local function reader(lock, request_of)
  return request_of == lock.family.try_once and read_once or read
end

-- The effects of the answer, and, once the caller has gone, orphaned(task, the milliseconds to wait or nil, problem) as
-- well, if it is there.
local function settle(reads, orphaned)
  return function(task, lock, owner, lease_ms, reply, problem, gone)
    local left_ms
    if problem == nil then
      left_ms = (reads(lock, reply))
    end
    answers.acquired(task, lock, owner, lease_ms, left_ms, problem, gone)
    if gone and orphaned then
      orphaned(task, left_ms, problem)
    end
  end
end

-- One run of the acquire script. Returns nil when the lock is ours, the milliseconds to wait, or nil and a problem.
-- orphaned: see above; without it an interrupted caller leaves the answer's effects behind.
function M.attempt(lock, request_of, wait_ms, lease_ms, orphaned)
  local ttl_ms = lease.ttl(lock.object, lease_ms)
  local request = request_of(lock, ttl_ms, wait_ms, lease_ms)
  function request.anew(again)
    return request_of(again, lease.ttl(again.object, lease_ms), wait_ms, lease_ms)
  end
  local reads = reader(lock, request_of)
  local answer, failure = transport.ask(lock, "acquire", ttl_ms, request, settle(reads, orphaned), lock.me.id,
                                        lease_ms)
  if failure then
    return nil, failure
  end
  local left_ms, token = reads(lock, answer)
  if lock.token ~= token then
    lock.token = token
  end
  return left_ms
end

function M.held(lock, lease_ms)
  lock.me:granted(lock.name, { lease = lease_ms, mode = lock.family.mode, token = lock.token,
                               count = holds.add(lock.me, lock.hold) })
  return true
end

-- An exception: the caller gets nothing, and no abandon is sent. The lock may be ours in Redis until its lease ends.
function M.failed(lock, problem)
  lock.me:gave_up(lock.name)
  return nil, transport.reason(problem)
end

-- A wait that failed: a fair lock's queue has to forget us.
function M.abandoned(lock, wait_ms)
  if lock.family.abandon then
    transport.ask_until_answered(lock, "abandon", lock.family.abandon(lock, wait_ms))
  end
  lock.me:gave_up(lock.name)
  return false
end

function M.subscribe(lock, wait_ms)
  local family = lock.family
  return pubsub.subscribe_for_good(lock.me, family.entry(lock), family.channel(lock), wait_ms, family.on_message)
end

return M
