-- holds.lua: how often each thread of a process believes to hold each lock. Redis replies seldom say it, so drivers
-- count for themselves, only in order to announce it. That is no memory of any client, so no thread is preempted in
-- it.
local M = {}

local function table_of(me, name)
  local all, lock = me.process.holds, me:full_name(name)
  if all == nil then
    all = {}
    me.process.holds = all
  end
  if all[lock] == nil then
    all[lock] = {}
  end
  return all[lock]
end

local function add(me, lock)
  local counts = table_of(me, lock)
  counts[me.id] = (counts[me.id] or 0) + 1
  return counts[me.id]
end

local function drop(me, lock)
  local counts = table_of(me, lock)
  local left = (counts[me.id] or 0) - 1
  counts[me.id] = left > 0 and left or nil
  return left > 0 and left or 0
end

local function clear(me, lock)
  table_of(me, lock)[me.id] = nil
end

local function count(me, lock)
  return table_of(me, lock)[me.id] or 0
end

-- One hold more for the thread of `me`; returns how many it has now.
function M.add(me, lock)
  return me:atomic(add, me, lock)
end

-- One hold less; returns how many are left, never below 0.
function M.drop(me, lock)
  return me:atomic(drop, me, lock)
end

-- The thread holds nothing any more.
function M.clear(me, lock)
  me:atomic(clear, me, lock)
end

function M.count(me, lock)
  return me:atomic(count, me, lock)
end

return M
