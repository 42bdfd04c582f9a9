-- transport.lua: how Redisson sends a lock's requests, and when it sends one again. It follows Redisson 4.7.0. With a
-- single server a lock script that was written to the socket is never sent twice; with replicas (the lock's option of
-- that name) no_sync.lua has it.
--
-- The effects of an answer in the process (answers.lua) are done before the caller goes on, since it waits for a future
-- that has been through it: seed 001 prints that code. So the caller does it here itself. Only a caller that was
-- interrupted has gone on without it; then it runs as a step of its own, whenever the answer comes.
local evaluate = require "evaluate"
local flag = require "redisson.client.flag"
local no_sync = require "redisson.client.no_sync"
local options = require "redisson.client.options"
local resend = require "redisson.client.resend"
local synced = require "redisson.client.synced"

local M = {}

-- An answer that is no reply, in one word: "timeout", "lost", "interrupted"; of a reply that is an error, its text.
function M.reason(problem)
  if type(problem) == "string" then
    return problem
  end
  return problem.kind == "reply" and problem.message or problem.kind
end

-- To a single server: once, unless the family is one whose requests are sent again. Attempt number `tried` is the
-- first. Returns reply, or nil and problem, and the script's future; no future if the caller was interrupted while
-- nothing was on its way.
local function single(lock, op, lease_ms, request, tried)
  local me = lock.me
  local last = lock.family.retried and resend.attempts or 0
  local reply, problem, sent
  repeat
    if resend.pause(me, tried) then
      return nil, { kind = "interrupted" }
    end
    local with = options(lock, op, lease_ms, request.permits)
    with.again = tried > 0
    with.resend = last > 0
    sent = me:send(request.script, request.keys, request.argv, with)
    reply, problem = flag.answer(lock, sent)
    if problem and evaluate.unknown(problem) and evaluate.load(me, request.script) then
      sent = me:send(request.script, request.keys, request.argv, with)
      reply, problem = flag.answer(lock, sent)
    end
    tried = tried + 1
  until tried > last or not resend.silent(problem)
  return reply, problem, sent
end

-- The rest of the work when the caller has gone: all attempts that it would have waited for.
local function go_on(lock, op, lease_ms, request, task, reply, problem)
  local alone = setmetatable({ me = task, flag = false }, { __index = lock })
  if lock.opts.replicas and (resend.silent(problem) or problem and problem.kind == "nosync") then
    return no_sync[op](alone, lease_ms, request, problem)
  elseif lock.family.retried and resend.silent(problem) then
    return single(alone, op, lease_ms, request, 1)
  end
  return reply, problem
end

-- Sends an "acquire" or a "release" and waits; `callback(task, lock, owner, with, reply, problem, gone)` does what the
-- answer sets off; gone: the caller was interrupted and has heard that it failed. Returns reply, or nil and problem.
local function ask(lock, op, lease_ms, request, callback, owner, with)
  local reply, problem, sent
  if lock.opts.replicas then
    reply, problem, sent = no_sync[op](lock, lease_ms, request)
  else
    reply, problem, sent = single(lock, op, lease_ms, request, 0)
  end
  if problem and M.reason(problem) == "interrupted" then
    flag.interrupted(lock)
    local function rest(task, late, trouble)
      late, trouble = go_on(lock, op, lease_ms, request, task, late, trouble)
      callback(task, lock, owner, with, late, trouble, true)
    end
    if sent then
      sent:on_answer(rest)
    else                                       -- between two attempts
      lock.me:spawn("resend", function(task)
        rest(task, nil, { kind = problem.after or "timeout" })
      end)
    end
    return nil, problem
  end
  callback(lock.me, lock, owner, with, reply, problem)
  return reply, problem
end

-- The caller's thread does not stand between the answer and what it sets off: that is done by the thread of Netty that
-- takes the answer, before the future is complete (thenApply in RedissonLock.tryAcquireAsync, handle in
-- RedissonBaseLock.unlockAsync).
function M.ask(lock, op, lease_ms, request, callback, owner, with)
  return lock.me:atomic(ask, lock, op, lease_ms, request, callback, owner, with)
end

-- Sends a request again while no answer comes: force-unlock and abandon, which may run twice without harm.
function M.ask_until_answered(lock, op, request)
  local me = lock.me
  if lock.opts.replicas then
    return synced.send(lock, op, nil, request)
  end
  local with = options(lock, op)
  with.resend = true
  return resend.until_answered(me, function(again)
    with.again = again
    return evaluate.eval(me, request.script, request.keys, request.argv, with)
  end)
end

return M
