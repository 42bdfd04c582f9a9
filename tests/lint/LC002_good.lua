-- Asks, subscribes, asks again, and parks. One that passes a subscription on leaves the asking to its caller.
local pubsub = require "pubsub"
local M = {}
function M.acquire(me, name, channel, try)
  if try(me, name) then
    return true
  end
  local entry = pubsub.subscribe(me, name, channel)
  while not try(me, name) do
    entry.latch:acquire(1000)
  end
  pubsub.unsubscribe(me, entry)
  return true
end
function M.join(me, channel, fn)
  return me:subscribe(channel, fn, 3000)
end
return M
