-- pubsub_late.lua: what becomes of a SUBSCRIBE of Redisson's that is still under way when its caller gives up: nothing. It is never undone; the
-- channel stays subscribed, and nobody waits for its messages.
return function(_, _, mutex)
  mutex:release(1)
end
