-- lock(), and within it lock(30 s) and its unlock. The inner unlock takes one hold off the watchdog, which was never
-- told of it: so the outer hold is not renewed any more, and ends after 30 s of work.
-- Checked against redisson 4.7.0 by reading RedissonBaseLock.unlockAsync0 (each unlock takes a hold off the watchdog)
-- and RedissonLock.tryAcquireAsync (an acquire with a lease adds none).
local redisson = require "redisson.lock"

return {
  title   = "H05c: the unlock of a lease stops the watchdog",
  exhibit = { bug = "not reported", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "unlock of a nested lease stops the watchdog" },
  clients = { "A", { "B", start_ms = 31000 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    lock:acquire { lease_ms = 30000 }
    lock:release()
    me:work(32000)
    lock:release()
  end,
  expect  = { mutual_exclusion = "violated" },
  must_see = { "re-entry" },

  -- The twin of H05c, a mend of ours: an unlock takes off the watchdog only what an acquire has added.
  twin = {
    title   = "H05c mended: the watchdog keeps its own count",
    expect  = { mutual_exclusion = "holds" },
    patch   = {
      ["redisson/client/answers.lua"] = [[
-- answers.lua: the effects of an acquire's or an unlock's answer in the process: the lease field, the watchdog, the
-- latch. transport.lua says when it is done.
local lease = require "redisson.client.lease"

local M = {}

-- Of each thread that holds the lock through this object: which of its holds the watchdog was told of, the innermost
-- last.
local function watched_of(lock, owner)
  local object = lock.object
  object.watched = object.watched or {}
  object.watched[owner] = object.watched[owner] or {}
  return object.watched[owner]
end

function M.acquired(task, lock, owner, lease_ms, reply, problem)
  if reply ~= nil or problem ~= nil then
    return
  end
  lease.granted(lock.object, lease_ms)
  local watched = watched_of(lock, owner)
  watched[#watched + 1] = lease_ms == nil
  if lease_ms == nil then
    lock.family.watchdog.add(task, lock.name, owner)
  end
end

-- Whatever the answer was, the watchdog has one hold less, if it was one of its own; once there is one, the latch is
-- not needed any more.
function M.released(task, lock, owner, latch, reply, problem)
  if problem == nil and latch then
    task:send("DEL", { latch }, {}, { op = "clear_latch", lock = lock.name })
  end
  if table.remove(watched_of(lock, owner)) then
    lock.family.watchdog.cancel(task, lock.name, owner)
  end
  if problem == nil then
    lease.released(lock.object, reply)
  end
end

return M
]],
    },
  },
}
