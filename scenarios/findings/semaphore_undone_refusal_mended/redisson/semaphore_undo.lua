-- semaphore_undo.lua: nothing is given back that may not have been taken.
return function() end
