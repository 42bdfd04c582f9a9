-- read_write_message.lua: what an unlock message does to the entry of a process and read-write lock: 0 wakes one thread; 1, from a writer, all
-- that use the entry, whether they have parked already or are about to.
return function(entry, message)
  if tonumber(message) == 1 then
    entry.latch:release(entry.acquired)
  else
    entry.latch:release(1)
  end
end
