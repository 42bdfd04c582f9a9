-- join.lua: how a waiter of a semaphore or a latch joins its channel. Who has a time of its own waits that long for the
-- confirmation, does not ask again where it took all of it, and leaves its place taken where it goes before; the others
-- wait for Redisson's own subscription time-out, or a latch's for as long as it takes.
local pubsub = require "pubsub"

-- for_ms: how long the caller waits for the confirmation at most (nil: no limit), until_ms: when its time is up (nil:
-- it has none). Returns the entry; false when the time is up; or nil and why.
return function(me, channel, for_ms, until_ms, on_message)
  local entry, why = pubsub.subscribe_for_good(me, channel, channel, for_ms, on_message, until_ms ~= nil)
  if entry == nil and until_ms and why ~= "interrupted" then
    return false
  elseif entry and until_ms and me:now() >= until_ms then
    pubsub.unsubscribe(me, entry)
    return false
  end
  return entry, why
end
