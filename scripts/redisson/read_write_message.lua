-- read_write_message.lua: what an unlock message does to the entry of a process and read-write lock, by which both
-- sides wait: 0 wakes one thread; 1, from a writer, all that are parked. A thread that has not parked yet is not
-- counted, and gets no permit.
return function(entry, message)
  if tonumber(message) == 1 then
    entry.latch:release(entry.latch:waiting())
  else
    entry.latch:release(1)
  end
end
