-- watchdog.lua: seed 004's timer: every 10 s, look whether this thread still holds the lock, and if so give it 30 s
-- again. As the seed prints it, looking and renewing are two commands: the lock may change hands between them. The
-- seed does not say when the timer ends; here it ends with the thread's last release, or when it finds the lock lost.
local M = {}

M.lease_ms = 30000
local period_ms = 10000

local function timers_of(me)
  local process = me.process
  if process.notes_watchdog == nil then
    process.notes_watchdog = {}
  end
  return process.notes_watchdog
end

-- Runs for the thread of `me` and this lock from now on, if it does not run yet.
function M.start(me, name)
  local timers, owner = timers_of(me), me.id
  local key = owner .. " " .. name
  if timers[key] ~= nil then
    return
  end
  timers[key] = me:spawn("watchdog", function(task)
    while true do
      task:sleep(period_ms)
      if task:call("HEXISTS", name, owner) ~= 1 then
        break
      end
      task:send("EXPIRE", { name }, { M.lease_ms / 1000 }, { op = "renew", lock = name, lease = M.lease_ms }):wait()
    end
    timers[key] = nil
  end, { daemon = true })
end

function M.stop(me, name)
  local timers = timers_of(me)
  local key = me.id .. " " .. name
  if timers[key] ~= nil then
    timers[key]:cancel()
    timers[key] = nil
  end
end

return M
