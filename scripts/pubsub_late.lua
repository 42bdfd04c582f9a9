-- pubsub_late.lua: what becomes of a SUBSCRIBE of Redisson's whose caller goes before its confirmation and before
-- Redisson's own time-out: nothing. It is not undone; the channel stays subscribed, and nobody waits for its messages.
return function(_, _, mutex)
  mutex:release(1)
end
