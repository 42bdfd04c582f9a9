-- patience.lua: how long a waiter of a semaphore or a latch parks before it asks again by itself: it never does. Only
-- a message ends its wait, or the time that its caller gave it.
return function(parked, left_ms)
  return parked:acquire(left_ms)
end
