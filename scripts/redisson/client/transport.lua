-- transport.lua: how Redisson sends a lock's requests, and when it sends one again. It follows Redisson 4.7.0 talking to a single
-- server, where a lock script that was written to the socket is never sent twice.
--
-- What an answer sets off in the process (answers.lua) is done before the caller goes on, since he waits for a future that has been
-- through it: seed 001 prints that code. So the caller does it here himself. Only a caller that was interrupted has gone on without
-- it; then it runs as a step of its own, whenever the answer comes.
local evaluate = require "evaluate"

local M = {}

local retry_attempts = 4

-- An answer that is no reply, in one word: "timeout", "lost", "interrupted"; of a reply that is an error, its text.
function M.reason(problem)
  if type(problem) == "string" then
    return problem
  end
  return problem.kind == "reply" and problem.message or problem.kind
end

local function options(lock, op, lease_ms)
  local mode = lock.family.mode
  return { op = mode and op .. "_" .. mode or op, lock = lock.name, lease = lease_ms }
end

-- Sends a request once and waits; `callback(task, reply, problem)` does what the answer sets off. Returns reply, or nil and problem.
function M.ask(lock, op, lease_ms, request, callback)
  local me = lock.me
  local sent = me:send(request.script, request.keys, request.argv, options(lock, op, lease_ms))
  local reply, problem = sent:wait()
  if evaluate.unknown(problem) and evaluate.load(me, request.script) then
    sent = me:send(request.script, request.keys, request.argv, options(lock, op, lease_ms))
    reply, problem = sent:wait()
  end
  if problem and M.reason(problem) == "interrupted" then
    sent:on_answer(callback)
    return nil, problem
  end
  callback(me, reply, problem)
  return reply, problem
end

-- Sends a request again while no answer comes: force-unlock and abandon, which may run twice without harm.
function M.ask_until_answered(lock, op, request)
  local me = lock.me
  local again = options(lock, op)
  again.resend = true
  local reply, problem
  for tried = 0, retry_attempts do
    if tried > 0 then
      local delay_ms = math.min(1000 * 2 ^ (tried - 1), 2000)
      me:sleep(me:choose { delay_ms / 2, delay_ms })
    end
    reply, problem = evaluate.eval(me, request.script, request.keys, request.argv, again)
    if problem == nil or problem.kind == "reply" or problem.kind == "interrupted" then
      break
    end
  end
  return reply, problem
end

return M
