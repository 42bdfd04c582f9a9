-- pubsub_late.lua: what is still under way is undone once it is there; until then nobody else subscribes.
return function(me, channel, mutex)
  me:spawn("unsubscribe", function(task)
    task:unsubscribe(channel)
    mutex:release(1)
  end)
end
