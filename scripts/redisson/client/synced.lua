-- synced.lua: how Redisson sends a lock's scripts to a server that has replicas (master and slaves, sentinel,
-- cluster): together with a WAIT, and a script that no replica is known to have counts as failed, whatever it
-- returned. Here a script is sent again when no answer comes, also one that must not run twice: that it is "no-retry"
-- is lost on this way.
local evaluate = require "evaluate"
local flag = require "redisson.client.flag"
local options = require "redisson.client.options"
local resend = require "redisson.client.resend"

local M = {}

local timeout_ms, wait_ms = 3000, 1000         -- of a request, and what WAIT is given besides

-- The script and the WAIT in one batch. Returns reply, or nil and problem, and the future.
local function batch(lock, request, with)
  local sent = lock.me:send(request.script, request.keys, request.argv, with)
  local reply, problem = flag.answer(lock, sent)
  return reply, problem, sent
end

-- `again`: it was sent before. Returns reply, or nil and problem ("nosync" is one of its kinds), and the future of
-- what was sent last; no future if the caller was interrupted while nothing was on its way.
function M.send(lock, op, lease_ms, request, again)
  local with = options(lock, op, lease_ms, request.permits)
  with.again = again
  with.resend = true
  with.sync = 1                                -- one is enough, however many there are
  with.timeout_ms = timeout_ms + wait_ms
  local reply, problem, sent
  for tried = 0, resend.attempts do
    if resend.pause(lock.me, tried) then
      return nil, { kind = "interrupted" }
    end
    reply, problem, sent = batch(lock, request, with)
    with.again = true
    if evaluate.unknown(problem) and evaluate.load(lock.me, request.script) then
      reply, problem, sent = batch(lock, request, with)
    end
    if not resend.silent(problem) then
      break
    end
  end
  if problem and problem.kind == "nosync" then
    -- for so long WAIT waits for replicas before it says that they are too few
    local _, interrupted = lock.me:sleep(wait_ms)
    if interrupted then
      return nil, { kind = "interrupted", after = "nosync" }
    end
  end
  return reply, problem, sent
end

return M
