-- watchdog.lua: renews, every 10 s, each lock that a thread of this process holds without a lease of its own.
-- One task per process serves all locks. Per lock it keeps the owners in the order of their acquires, one element for each, and
-- renews on behalf of the first. The ten seconds are counted from the end of one round to the beginning of the next.
local evaluate = require "evaluate"

local renew = script "redisson/lock/renew.lua"

local M = {}

M.timeout_ms = 30000                           -- the lease of a lock for which the caller named none
local round_ms = 10000
local batch_max = 100

local function watchdog_of(me)
  local process = me.process
  if process.redisson_watchdog == nil then
    process.redisson_watchdog = { entries = {} }
  end
  return process.redisson_watchdog
end

-- One acquire of `owner` less. After the last one he is forgotten, however often he was noted.
local function forget(watchdog, name, owner)
  local entry = watchdog.entries[name]
  if entry == nil or entry.counts[owner] == nil then
    return
  end
  if entry.counts[owner] > 1 then
    entry.counts[owner] = entry.counts[owner] - 1
    return
  end
  entry.counts[owner] = nil
  local others = {}
  for _, noted in ipairs(entry.owners) do
    if noted ~= owner then
      others[#others + 1] = noted
    end
  end
  entry.owners = others
  if #others == 0 then
    watchdog.entries[name] = nil
  end
end

-- One script for up to batch_max locks; names that are no longer held by the owner it asked for are dropped.
local function renew_batch(me, watchdog, names, owners)
  local argv = { M.timeout_ms }
  for i, owner in ipairs(owners) do
    argv[i + 1] = owner
  end
  local one = #names == 1 and names[1] or nil  -- a request that concerns several locks names none
  local renewed, problem = evaluate.eval(me, renew, names, argv, { op = "renew", lock = one, lease = M.timeout_ms })
  if problem then
    return false                               -- the library logs it and skips the rest of the round
  end
  for i, name in ipairs(names) do
    if renewed[i] == 0 then
      forget(watchdog, name, owners[i])
    end
  end
  return true
end

local function round(me, watchdog)
  local names, owners = {}, {}
  for name, entry in pairs(watchdog.entries) do
    names[#names + 1] = name
    owners[#owners + 1] = entry.owners[1]
  end
  for first = 1, #names, batch_max do
    local batch, whose = {}, {}
    for i = first, math.min(first + batch_max - 1, #names) do
      batch[#batch + 1] = names[i]
      whose[#whose + 1] = owners[i]
    end
    if not renew_batch(me, watchdog, batch, whose) then
      return
    end
  end
end

-- Notes that `owner` acquired the lock without a lease, and starts the rounds if they do not run.
function M.add(me, name, owner)
  local watchdog = watchdog_of(me)
  local entry = watchdog.entries[name]
  if entry == nil then
    entry = { owners = {}, counts = {} }
    watchdog.entries[name] = entry
  end
  entry.owners[#entry.owners + 1] = owner
  entry.counts[owner] = (entry.counts[owner] or 0) + 1
  if watchdog.task == nil then
    watchdog.task = me:spawn("watchdog", function(task)
      while next(watchdog.entries) ~= nil do
        task:sleep(round_ms)
        round(task, watchdog)
      end
      watchdog.task = nil
    end, { daemon = true })
  end
end

-- Notes that a release of `owner` was answered, whatever the answer; owner nil: the lock was released by force.
-- With nothing left to renew the rounds end at once: a timer left running would only find nothing.
function M.cancel(me, name, owner)
  local watchdog = watchdog_of(me)
  if owner == nil then
    watchdog.entries[name] = nil
  else
    forget(watchdog, name, owner)
  end
  if next(watchdog.entries) == nil and watchdog.task ~= nil then
    watchdog.task:cancel()
    watchdog.task = nil
  end
end

return M
