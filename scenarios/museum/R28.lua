-- A thread is interrupted while it waits for the answer to its acquire, goes away empty-handed, and unlocks as
-- `finally` does. Where that unlock comes first there is nothing to give back and nothing to stop; then the script
-- takes the lock, and its answer, for which no thread waits any more, starts the watchdog: a lock without a holder,
-- renewed for as long as the process lives.
local redisson = require "redisson.lock"

return {
  title   = "R28: a lock that no caller got is renewed for ever",
  exhibit = { bug = "#2714 #7272", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "an interrupted acquire is renewed for ever" },
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire { interruptibly = true } then
      me:work(100)
    end
    lock:release()                     -- as `finally` does, whatever came before
  end,
  faults  = { interrupt = { 1, of = "A" } },
  expect  = { prompt = { "violated", idle_ms = 60000 }, no_deadlock = "violated" },
  must_see = { "interrupt" },

  -- The twin of R28, a mend of ours: an acquire that is granted to a caller that has gone is given back at once.
  twin = {
    title   = "R28 mended: a lock that no caller got is given back",
    expect  = { prompt = { "holds", idle_ms = 60000 }, no_deadlock = "holds" },
    patch   = {
      ["redisson/client/answers.lua"] = [[
-- answers.lua: the effects of an acquire's or an unlock's answer in the process: the lease field, the watchdog, the
-- latch. transport.lua says when it is done.
local lease = require "redisson.client.lease"
local names = require "redisson.names"

local M = {}

-- No caller would give it back: so it is given back here.
local function undo(task, lock)
  local latch = names.latch(lock.name, task:unique("request"))
  local request = lock.family.release(lock:in_task(task), latch)
  task:eval(request.script, request.keys, request.argv, { op = "release", lock = lock.name })
  task:send("DEL", { latch }, {}, { op = "clear_latch", lock = lock.name })
end

function M.acquired(task, lock, owner, lease_ms, reply, problem, gone)
  if reply ~= nil or problem ~= nil then
    return
  end
  if gone then
    return undo(task, lock)
  end
  lease.granted(lock.object, lease_ms)
  if lease_ms == nil then
    lock.family.watchdog.add(task, lock.name, owner)
  end
end

-- Whatever the answer was, one hold is taken off the watchdog; once there is one, the latch is not needed any more.
function M.released(task, lock, owner, latch, reply, problem)
  if problem == nil and latch then
    task:send("DEL", { latch }, {}, { op = "clear_latch", lock = lock.name })
  end
  lock.family.watchdog.cancel(task, lock.name, owner)
  if problem == nil then
    lease.released(lock.object, reply)
  end
end

return M
]],
    },
  },
}
