-- pubsub_late.lua: what becomes of a SUBSCRIBE of Redisson's that is confirmed after its caller has gone: nothing. It
-- is not undone; the channel stays subscribed, and nobody waits for its messages.
return function(_, _, mutex)
  mutex:release(1)
end
