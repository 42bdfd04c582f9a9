-- semaphore_undo.lua: how a semaphore's acquire that no replica is known to have is taken back: by a release of as
-- many permits, though the script may have taken none.
return function(self, permits, give_back)
  return give_back(self, permits)
end
