-- rounds.lua: the lease that each round of a group's lock() asks for, in milliseconds: a function that is called once a round.
return function(lease, unit_ms)
  return function()
    return lease * unit_ms
  end
end
