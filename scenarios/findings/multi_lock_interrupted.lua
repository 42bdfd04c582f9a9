-- A thread that is interrupted while a multi-lock asks for one of its locks is told false, as if another had it:
-- the interrupt counts as a refusal, and for a refusal nothing is unlocked. Yet the script takes the lock, its answer
-- comes to the process all the same, and starts the watchdog. No caller has the lock, it never ends, and B waits for
-- ever. R28 of the museum is what a single lock does then; there the caller gets an exception and may unlock, here it
-- hears of nothing that it would have to give back.
--
-- How likely: an interrupt (a cancelled job, a shutdown of one pool, a time-out of the caller's own) within the round
-- trip of an acquire; where tasks are cancelled as a matter of course, daily. To unlock at once, as after a response
-- time-out, does not help: the unlock may overtake the acquire. The mend: when the answer comes and its caller has
-- gone, the lock is given back; and an unlock that is interrupted goes on to the next lock (the twin).
-- Checked against redisson 4.7.0 by traces of the real client (multi_08, lock_23).
local group = require "redisson.multi"
local redisson = require "redisson.lock"

return {
  title   = "an interrupted multi-lock keeps its locks",
  servers = 2,
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local x, y = redisson.lock(me:on(1), "X"), redisson.lock(me:on(2), "Y")
    if me.client == "B" then
      if y:acquire() then
        me:work(100)
        y:release()
      end
      return
    end
    local both = group.lock(me, "X and Y", { x, y })
    if both:try_acquire() then
      me:work(100)
      both:release()
    end
  end,
  faults  = { interrupt = { 1, of = "A" } },
  expect  = {
    no_deadlock = "violated",
    prompt = { "violated", idle_ms = 30001 },
    no_leak = "violated",
  },
  must_see = { "interrupt" },

  -- The same with our mend: whatever was asked for is given back.
  twin = {
    title   = "an interrupted multi-lock gives its locks back",
    expect  = { no_deadlock = "holds", prompt = { "holds", idle_ms = 30001 }, no_leak = "holds" },
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
      ["redisson/multi/unlock.lua"] = [[
-- unlock.lua: the mend: unlock() of a group reaches each of its locks. Returns true; or nil and why the first one said
-- no (strict).
return function(locks, strict)
  local refused
  for _, lock in ipairs(locks) do
    local released, why = lock:release()
    if released == nil and strict then
      refused = refused or why
    end
  end
  if refused then
    return nil, refused
  end
  return true
end
]],
    },
  },
}
