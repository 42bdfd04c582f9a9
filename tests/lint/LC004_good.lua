-- Watchdogs that end: by what the server answers, by a break, and by the starter of a heartbeat that is no renewal.
local M = {}
function M.keep(me, name, renew)
  me:spawn("watchdog", function(task)
    local renewed = true
    while renewed do
      task:sleep(1000)
      renewed = renew(task, name)
    end
  end, { daemon = true })
end
function M.also(me, name, renew)
  me:spawn("watchdog", function(task)
    while true do
      task:sleep(1000)
      if not renew(task, name) then
        break
      end
    end
  end)
end
function M.clock(me)
  me:spawn("clock", function(task)
    while true do
      task:sleep(1000)
    end
  end)
end
local function watch(task, name, renew)
  repeat
    task:sleep(1000)
  until not renew(task, name)
end
function M.by_name(me, name, renew)
  me:spawn("watchdog", watch, name, renew)
end
local function again(task, name, renew)
  task:sleep(1000)
  if not renew(task, name) then
    return
  end
  return again(task, name, renew)
end
function M.by_itself(me, name, renew)
  me:spawn("watchdog", again, name, renew)
end
local function keep(me, name, renew)
  me:spawn("watchdog", function(task)
    task:sleep(1000)
    if renew(task, name) then
      keep(task, name, renew)
    end
  end)
end
M.keep_on = keep
return M
