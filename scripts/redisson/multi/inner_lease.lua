-- inner_lease.lua: with which lease a group takes each of its locks: twice the time that the caller waits, since the
-- first of them must outlast the waiting for the last; its own lease where it does not wait; none (nil) where it named
-- none.
return function(wait, lease)
  if lease <= 0 then
    return nil
  elseif wait > 0 then
    return 2 * wait
  end
  return lease
end
