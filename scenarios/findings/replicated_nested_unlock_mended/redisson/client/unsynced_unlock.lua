-- unsynced_unlock.lua: an attempt to unlock that no replica has, and after which there will be another, changes nothing in the process.
return function() end
