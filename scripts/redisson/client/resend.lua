-- resend.lua: how often Redisson sends a request again, and how long it waits before: with equal jitter, from 1 s on,
-- at most 2 s.
local M = {}

M.attempts = 4                                 -- besides the first

-- Before attempt number `tried`; none before the first, number 0. Returns nil; or "interrupted".
function M.pause(me, tried)
  if tried > 0 then
    local delay_ms = math.min(1000 * 2 ^ (tried - 1), 2000)
    local _, interrupted = me:sleep(me:random { delay_ms / 2, delay_ms })
    return interrupted
  end
end

-- No answer came: it is unknown whether it was executed.
function M.silent(problem)
  return problem ~= nil and (problem.kind == "timeout" or problem.kind == "lost")
end

-- Sends by send(again) until an answer comes, or an interrupt, or too often. Returns what the last one did: reply; or
-- nil and problem.
function M.until_answered(me, send)
  local reply, problem
  for tried = 0, M.attempts do
    M.pause(me, tried)
    reply, problem = send(tried > 0)
    if not M.silent(problem) then
      break
    end
  end
  return reply, problem
end

return M
