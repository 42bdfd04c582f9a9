-- The answer to an acquire is late, the client sends it again, and the second run counts as a second hold. The one
-- unlock then leaves one hold over; and because only the last unlock told the watchdog to stop, it renewed a lock that
-- no thread held any more, for ever.
local redisson = require "redisson.lock"

return {
  title   = "R24: a hold too many is renewed for ever",
  exhibit = { bug = "#1966", library = "Redisson", versions = "up to 3.10.4",
              what = "a request sent twice is renewed for ever" },
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  replicas = 1,
  program = function(me)
    local lock = redisson.lock(me, "order:42", { replicas = 1 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { lose_reply = { 1, of = "A" } },
  expect  = { prompt = { "violated", idle_ms = 60000 }, no_deadlock = "violated" },
  must_see = { "lose_reply", "wait" },
  patch   = {
    ["redisson/client/answers.lua"] = [[
-- answers.lua: the effects of an acquire's or an unlock's answer in the process: the lease field, the watchdog, the
-- latch. transport.lua says when it is done.
local lease = require "redisson.client.lease"

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

-- The watchdog is told of the last release only; once there is an answer, the latch is not needed any more.
function M.released(task, lock, owner, latch, reply, problem)
  if problem == nil and latch then
    task:send("DEL", { latch }, {}, { op = "clear_latch", lock = lock.name })
  end
  if reply ~= 0 then
    lock.family.watchdog.cancel(task, lock.name, owner)
  end
  if problem == nil then
    lease.released(lock.object, reply)
  end
end

return M
]],
  },

  -- The twin of R24: whatever an unlock was answered, the watchdog has one hold less, so the lock ends with its lease.
  -- A request that is sent again still counts twice, to this day.
  twin = {
    title   = "R24 mended: the lock ends with its lease",
    expect  = { prompt = { "holds", idle_ms = 60000 }, no_deadlock = "holds" },
    patch   = {},
  },
}
