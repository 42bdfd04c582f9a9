-- inner_lease.lua: with which lease a group takes each of its locks: twice the time that the caller waits; none (nil) where he named none.
return function(wait, lease)
  if lease <= 0 then
    return nil
  end
  return 2 * wait
end
