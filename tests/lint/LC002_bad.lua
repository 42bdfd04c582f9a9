-- Asks, subscribes, and parks.
local pubsub = require "pubsub"
local M = {}
function M.acquire(me, name, channel, try)
  if try(me, name) then
    return true
  end
  local entry = pubsub.subscribe(me, name, channel)
  me:refused(name)
  entry.latch:acquire(1000)
  pubsub.unsubscribe(me, entry)
  return try(me, name)
end
function M.other(me, channel)
  local woken = me:semaphore(0)
  me:subscribe(channel, function() woken:release(1) end)
  woken:acquire()
end
return M
