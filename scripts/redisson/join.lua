-- join.lua: how a waiter of a semaphore or a latch joins its channel. Who has a time of its own waits that long for the
-- confirmation, and does not ask again where it took all of it; others wait for Redisson's own subscription time-out.
local pubsub = require "pubsub"

local subscription_timeout_ms = 7500

-- for_ms: how long the caller waits for the confirmation at most, until_ms: when its time is up; both nil: it has none.
-- Returns the entry; false when the time is up; or nil and why.
return function(me, channel, for_ms, until_ms, on_message)
  local entry, why = pubsub.subscribe_for_good(me, channel, channel, for_ms or subscription_timeout_ms, on_message)
  if entry == nil and until_ms and why ~= "interrupted" then
    return false
  elseif entry and until_ms and me:now() >= until_ms then
    pubsub.unsubscribe(me, entry)
    return false
  end
  return entry, why
end
