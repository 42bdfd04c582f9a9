-- patience.lua: how long a waiter of a semaphore or a latch parks before it asks again by itself: a second.
return function(parked, left_ms)
  return parked:acquire(math.min(left_ms or 1000, 1000))
end
