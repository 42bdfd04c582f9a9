-- rounds.lua: the lease that each round of a group's lock() asks for, in milliseconds: a function that is called once
-- a round. The caller's unit is applied to what the last round had (redisson 5484's mend, open to this day): a second
-- round that began with 10 seconds asks for 10000 seconds, and so on.
return function(lease, unit_ms)
  return function()
    lease = lease * unit_ms
    return lease
  end
end
