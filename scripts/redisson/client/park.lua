-- park.lua: how a thread sleeps until a message's permit comes.

-- ttl_ms at most; below 0 (the key never expires, or has just gone) without limit. Returns what the acquire of
-- pubsub.lua's latch does.
return function(entry, ttl_ms)
  if ttl_ms < 0 then
    return entry.latch:acquire()
  end
  return entry.latch:acquire(ttl_ms)
end
