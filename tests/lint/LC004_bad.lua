-- Watchdogs that are never stopped.
local M = {}
function M.keep(me, name, renew)
  me:spawn("watchdog", function(task)
    while true do
      task:sleep(1000)
      renew(task, name)
    end
  end, { daemon = true })
end
function M.also(me, name, renew)
  return me:spawn("watchdog", function(task)
    repeat
      task:sleep(1000)
      local renewed, problem = task:eval(renew, { name }, { me.id })
      if problem then
        task:log("no answer")
      end
      task:log(renewed)
    until false
  end)
end
local function watch(task, name, renew)
  while true do
    task:sleep(1000)
    renew(task, name)
  end
end
function M.by_name(me, name, renew)
  me:spawn("watchdog", watch, name, renew)
end
function M.by_call(me, name, renew)
  me:spawn("watchdog", function(task)
    watch(task, name, renew)
  end)
end
-- One that calls itself, one that starts itself anew, and one that starts what started it.
local function again(task, name, renew)
  task:sleep(1000)
  renew(task, name)
  return again(task, name, renew)
end
function M.by_itself(me, name, renew)
  me:spawn("watchdog", again, name, renew)
end
local function anew(task, name, renew)
  task:sleep(1000)
  renew(task, name)
  task:spawn("watchdog", anew, name, renew)
end
function M.by_task(me, name, renew)
  me:spawn("watchdog", anew, name, renew)
end
local function keep(me, name, renew)
  me:spawn("watchdog", function(task)
    task:sleep(1000)
    renew(task, name)
    keep(task, name, renew)
  end)
end
M.keep_on = keep
return M
