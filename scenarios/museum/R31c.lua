-- From 3.52.0 to 4.2 the latch of an answered unlock was looked for under the client's id instead of the request's,
-- and so was never deleted. Each unlock leaves a key behind for twenty seconds.
local redisson = require "redisson.lock"

local function latches(view)
  local count = 0
  for _, key in ipairs(view.keys) do
    if key:find("redisson_unlock_latch", 1, true) == 1 then
      count = count + 1
    end
  end
  return count
end

return {
  title    = "latches that are never deleted",
  exhibit  = { bug = "255aa9748", library = "Redisson", versions = "3.52.0 to 4.2",
               what = "each unlock leaves a latch key behind" },
  clients  = { "A" },
  program  = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 30000 })
    for _ = 1, 2 do
      lock:acquire()
      lock:release()
      me:work(100)                               -- time enough for the latch to go
    end
  end,
  -- The latch of the unlock before is gone when the next one sets its own.
  always   = function(view)
    return latches(view) < 2, "two latches at once"
  end,
  expect   = { always = "violated" },
  patch   = {
    ["redisson/client/answers.lua"] = [[
-- answers.lua: the effects of an acquire's or an unlock's answer in the process: the lease field, the watchdog, the
-- latch. transport.lua says when it is done.
local lease = require "redisson.client.lease"
local names = require "redisson.names"

local M = {}

function M.acquired(task, lock, owner, lease_ms, reply, problem)
  if reply ~= nil or problem ~= nil then
    return
  end
  lease.granted(lock.object, lease_ms)
  if lease_ms == nil then
    lock.family.watchdog.add(task, lock.name, owner)
  end
end

-- Whatever the answer was, one hold is taken off the watchdog; once there is one, the latch is not needed any more.
function M.released(task, lock, owner, latch, reply, problem)
  if problem == nil and latch then
    task:send("DEL", { names.latch(lock.name, task.client) }, {}, { op = "clear_latch", lock = lock.name })
  end
  lock.family.watchdog.cancel(task, lock.name, owner)
  if problem == nil then
    lease.released(lock.object, reply)
  end
end

return M
]],
  },

  -- R31c mended in 4.3.0: the latch is deleted by the name that it was given.
  twin = {
    title   = "latches that are deleted",
    expect  = { always = "holds" },
    patch   = {},
  },
}
